// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs files of SQL in a ClickHouse (chdb) and prints the rows of each query as a line of JSON.
//
// usage: node clickhouse.mjs DATABASE SQL...
import {readFileSync} from 'node:fs'
import {Session} from 'chdb'

const [database, ...files] = process.argv.slice(2)
const session = new Session(database)

for (const file of files)
	for (const statement of readFileSync(file, 'utf8').replace(/--.*$/gm, '').split(';'))
		if (statement.trim())
			console.log(`[${session.query(statement, 'JSONEachRow').trim().split('\n').join(',')}]`)
