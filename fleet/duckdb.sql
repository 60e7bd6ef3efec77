-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The rows of many hosts in DuckDB, from the files that 'perf-kmem ... --rows' wrote:
--
--   duckdb fleet.db ".read fleet/duckdb.sql"
--
-- The files are rows/HOST/*.jsonl, also .jsonl.gz or .jsonl.zst.  Run it again after new files have come: hosts
-- and reports are identified by machine, boot and time, so that a file is not counted twice.

CREATE TABLE IF NOT EXISTS sites (
	symbol VARCHAR,           -- the call site's function, without the compiler's suffixes
	cache VARCHAR,
	hostname VARCHAR,
	machine_id VARCHAR,
	boot_id VARCHAR,
	kernel VARCHAR,
	kernel_build_id VARCHAR,
	time TIMESTAMP,           -- the start of the report
	seconds DOUBLE,           -- its length
	hits UBIGINT,
	bytes_alloc UBIGINT,
	live_hits UBIGINT,
	live_bytes UBIGINT
);

-- One row for each function and cache: the offsets in a function are added up.
INSERT INTO sites
SELECT function, cache, hostname, machine_id, boot_id, kernel, kernel_build_id, make_timestamp(wall_clock_ns // 1000),
       (stop_ns - start_ns) / 1e9, sum(hits), sum(bytes_alloc), sum(live_hits), sum(live_bytes)
FROM read_json('rows/*/*.jsonl*', format = 'newline_delimited', ignore_errors = true, columns = {
	"table": 'VARCHAR', function: 'VARCHAR', cache: 'VARCHAR', hostname: 'VARCHAR', machine_id: 'VARCHAR',
	boot_id: 'VARCHAR', kernel: 'VARCHAR', kernel_build_id: 'VARCHAR', wall_clock_ns: 'BIGINT', start_ns: 'BIGINT',
	stop_ns: 'BIGINT', hits: 'UBIGINT', bytes_alloc: 'UBIGINT', live_hits: 'UBIGINT', live_bytes: 'UBIGINT'})
WHERE "table" = 'slab.tables.rows' AND function IS NOT NULL
  AND (machine_id, boot_id, make_timestamp(wall_clock_ns // 1000)) NOT IN (SELECT DISTINCT (machine_id, boot_id, time) FROM sites)
GROUP BY ALL
ORDER BY 1, 2, 3, 8;

SELECT count(*) AS Count FROM sites;
