import { setTimeout as sleep } from 'node:timers/promises'
import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { runAsSuperuser } from '../../../core/embedded/postgres/postgres.roles.ts'

/** What PostgreSQL logs: each statement, without its values, behind the instant and the name of the process. */
const settings = { log_statement: 'all', log_parameter_max_length: '0', log_line_prefix: '%m [%a] ' }

/** The platform whose database is to log its statements. */
interface LoggedPlatform {
  dataDir: string
  /** The address of its database. */
  database: string
}

/** Lets a platform's PostgreSQL log every statement. @returns a function that ends it */
export async function logStatements({ dataDir, database }: LoggedPlatform): Promise<() => Promise<void>> {
  const configure = async (statements: readonly string[]) => {
    const { record } = readCluster(dataDir)
    await runAsSuperuser(record, Number(new URL(database).port), 'postgres', async (client) => {
      for (const text of [...statements, 'select pg_reload_conf()']) await client.query(text)
    })
    // The server reads its settings a moment later, and tells nobody when it has.
    await sleep(300)
  }
  await configure(Object.entries(settings).map(([name, value]) => `alter system set ${name} = '${value}'`))
  return () => configure(Object.keys(settings).map((name) => `alter system reset ${name}`))
}
