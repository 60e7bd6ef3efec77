-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The rows of many hosts in ClickHouse, from the files rows/HOST/*.jsonl that 'perf-kmem ... --rows' wrote.
-- A file that is loaded again is not counted twice: a row replaces the one with the same key.  The files are in
-- user_files of the server, or below the folder of clickhouse-local.

CREATE TABLE IF NOT EXISTS sites (
	symbol LowCardinality(String), -- the call site's function, without the compiler's suffixes
	cache LowCardinality(String),
	hostname LowCardinality(String),
	machine_id LowCardinality(String),
	boot_id LowCardinality(String),
	kernel LowCardinality(String),
	kernel_build_id LowCardinality(String),
	time DateTime64(3) CODEC(DoubleDelta, ZSTD), -- the start of the report
	seconds Float32 CODEC(ZSTD),                 -- its length
	hits UInt64 CODEC(T64, ZSTD),
	bytes_alloc UInt64 CODEC(T64, ZSTD),
	live_hits UInt64 CODEC(T64, ZSTD),
	live_bytes UInt64 CODEC(T64, ZSTD)
) ENGINE = ReplacingMergeTree ORDER BY (symbol, cache, hostname, time);

-- One row for each function and cache: the offsets in a function are added up.
INSERT INTO sites
SELECT assumeNotNull(function), cache, hostname, ifNull(machine_id, ''), ifNull(boot_id, ''), kernel,
       ifNull(kernel_build_id, ''), fromUnixTimestamp64Nano(wall_clock_ns), (stop_ns - start_ns) / 1e9, sum(hits),
       sum(bytes_alloc), sum(live_hits), sum(live_bytes)
FROM file('rows/*/*.jsonl*', 'JSONEachRow', '`table` String, function Nullable(String), cache String, hostname String,
	machine_id Nullable(String), boot_id Nullable(String), kernel String, kernel_build_id Nullable(String),
	wall_clock_ns Int64, start_ns Int64, stop_ns Int64, hits UInt64, bytes_alloc UInt64, live_hits UInt64,
	live_bytes UInt64')
WHERE `table` = 'slab.tables.rows' AND function IS NOT NULL
GROUP BY ALL
SETTINGS input_format_skip_unknown_fields = 1;

OPTIMIZE TABLE sites FINAL;

SELECT sum(rows) AS Count, sum(data_compressed_bytes) AS bytes FROM system.parts WHERE table = 'sites' AND active;
