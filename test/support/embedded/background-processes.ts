import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { runAsSuperuser } from '../../../core/embedded/postgres/postgres.roles.ts'

/** Lists the process ids of the server's checkpointer and of the writer of its log, which hold its shared memory. */
export async function listWriterPids({ dataDir, url }: { dataDir: string; url: string }): Promise<number[]> {
  const { record } = readCluster(dataDir)
  const { rows } = await runAsSuperuser(record, Number(new URL(url).port), 'postgres', (client) =>
    client.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type in ('checkpointer', 'walwriter')",
    ),
  )
  return rows.map(({ pid }) => pid)
}
