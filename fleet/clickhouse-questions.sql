-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Questions to the table of fleet/clickhouse.sql: those of fleet/duckdb-questions.sql.

-- 1. Which call sites hold more on hosts that got another kernel than before on the same hosts, and on how many?
--    A host counts if its mean rose at least twofold and by 1 MB.
WITH rollout AS (
	SELECT machine_id, argMax(kernel, time) AS new_kernel, argMin(kernel, time) AS old_kernel
	FROM sites GROUP BY machine_id HAVING uniqExact(kernel_build_id) > 1
)
SELECT symbol, cache, new_kernel AS kernel, count() AS hosts, toInt64(avg(after - before)) AS bytes_more
FROM (
	SELECT symbol, cache, machine_id, new_kernel, avgIf(live_bytes, kernel = new_kernel) AS after,
	       ifNotFinite(avgIf(live_bytes, kernel = old_kernel), 0) AS before
	FROM sites JOIN rollout USING (machine_id) GROUP BY symbol, cache, machine_id, new_kernel
)
WHERE after > 2 * before AND after - before > 1e6
GROUP BY symbol, cache, new_kernel ORDER BY hosts DESC;

-- 2. Where does live memory rise as a line within a boot: its slope, and how straight it is (R squared)?
SELECT symbol, cache, kernel, count() AS boots, toInt64(avg(slope) * 3600) AS bytes_per_hour, round(min(fit), 3) AS r2
FROM (
	SELECT symbol, cache, kernel, boot_id, simpleLinearRegression(toUnixTimestamp64Milli(time) / 1000, live_bytes).1 AS slope,
	       pow(corrStable(toUnixTimestamp64Milli(time) / 1000, live_bytes), 2) AS fit
	FROM sites GROUP BY symbol, cache, kernel, boot_id HAVING count() >= 10
)
WHERE fit > 0.9 AND slope * 3600 > 1e4
GROUP BY symbol, cache, kernel ORDER BY boots DESC;

-- 3. Which boots hold the most there, and since when?
SELECT hostname, boot_id, min(time) AS since, max(live_bytes) AS bytes
FROM sites WHERE symbol = 'sock_alloc_inode' GROUP BY hostname, boot_id ORDER BY bytes DESC LIMIT 10;
