// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs files of SQL in a DuckDB and prints the rows of each query as a line of JSON.
//
// usage: node duckdb.mjs DATABASE SQL...
import {readFileSync} from 'node:fs'
import {DuckDBInstance} from '@duckdb/node-api'

const [database, ...files] = process.argv.slice(2)
const instance = await DuckDBInstance.create(database)
const connection = await instance.connect()

for (const file of files) {
	const statements = await connection.extractStatements(readFileSync(file, 'utf8'))
	for (let i = 0; i < statements.count; i++) {
		const statement = await statements.prepare(i)
		const rows = (await statement.runAndReadAll()).getRowObjectsJson()
		console.log(JSON.stringify(rows))
	}
}
