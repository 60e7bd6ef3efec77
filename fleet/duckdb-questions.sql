-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Questions to the table of fleet/duckdb.sql.

-- 1. Which call sites hold more on hosts that got another kernel than before on the same hosts, and on how many?
--    A host counts if its mean rose at least twofold and by 1 MB.
WITH rollout AS (
	SELECT machine_id, first(kernel ORDER BY time DESC) AS kernel, first(kernel ORDER BY time) AS old
	FROM sites GROUP BY machine_id HAVING count(DISTINCT kernel_build_id) > 1
), mean AS (
	SELECT symbol, cache, machine_id, r.kernel,
	       avg(live_bytes) FILTER (s.kernel = r.kernel) AS after, avg(live_bytes) FILTER (s.kernel = r.old) AS before
	FROM sites s JOIN rollout r USING (machine_id) GROUP BY ALL
)
SELECT symbol, cache, kernel, count(*) AS hosts, round(avg(after - coalesce(before, 0)))::BIGINT AS bytes_more
FROM mean WHERE after > 2 * coalesce(before, 0) AND after - coalesce(before, 0) > 1e6
GROUP BY ALL ORDER BY hosts DESC;

-- 2. Where does live memory rise as a line within a boot: its slope, and how straight it is (R squared)?
SELECT symbol, cache, kernel, count(*) AS boots, round(avg(slope) * 3600)::BIGINT AS bytes_per_hour, round(min(r2), 3) AS r2
FROM (
	SELECT symbol, cache, kernel, boot_id, regr_slope(live_bytes, epoch(time)) AS slope, regr_r2(live_bytes, epoch(time)) AS r2
	FROM sites GROUP BY ALL HAVING count(*) >= 10
)
WHERE r2 > 0.9 AND slope * 3600 > 1e4
GROUP BY ALL ORDER BY boots DESC;

-- 3. Which boots hold the most there, and since when?
SELECT hostname, boot_id, min(time) AS since, max(live_bytes) AS bytes
FROM sites WHERE symbol = 'sock_alloc_inode' GROUP BY ALL ORDER BY bytes DESC LIMIT 10;
