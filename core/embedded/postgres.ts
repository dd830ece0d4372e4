import { totalmem } from 'node:os'
import { join } from 'node:path'
import { foreignPart, keepPart, type Part, type Surroundings } from './part.ts'
import { postgresBinaries } from './postgres.binaries.ts'
import { clusterOf, ensureCluster } from './postgres.cluster.ts'
import { clearLeftOver } from './postgres.leftover.ts'
import { asSuperuser, ensureRoles, postgresUrl } from './postgres.roles.ts'

export interface PostgresPart extends Part {
  /** The database as the signer's own role sees it. */
  signerUrl: string
  /** Where its data lies; undefined when it is not ours. */
  data?: string
}

export interface PostgresOptions extends Surroundings {
  /** A server that somebody else runs; the signer then shares its role. */
  url?: string | undefined
  /** False in tests: a power cut may cost data, a killed server still costs none. */
  durable?: boolean
}

/** PostgreSQL: the given one, else our own on a free port of 127.0.0.1, its data kept with `dataDir`. */
export async function startPostgres({ url, dataDir, giveUp, durable = true }: PostgresOptions): Promise<PostgresPart> {
  if (url !== undefined) return { ...foreignPart(url, 'DATABASE_URL'), signerUrl: url }
  const binaries = await postgresBinaries()
  const cluster = clusterOf(dataDir)
  const { record } = cluster
  await ensureCluster(cluster, binaries)
  const server = (port: number): [string, ...string[]] => [
    join(binaries, 'bin/postgres'), '-D', cluster.data, '-p', `${port}`, '-c', 'listen_addresses=127.0.0.1',
    '-c', 'unix_socket_directories=', '-c', 'max_connections=200', '-c', 'timezone=UTC', '-c', 'log_timezone=UTC',
    ...sized(),
    ...(durable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off']),
  ]
  const { kept, port } = await keepPart({
    name: 'postgres',
    log: join(dataDir, 'logs/postgres.log'),
    stopSignal: 'SIGINT',
    stopPatience: 10_000,
    isEssential: true,
    // Gigabytes of its log may have to be read again after a crash; a server that is ended meanwhile begins anew.
    startPatience: 600_000,
    async launch(port) {
      await clearLeftOver(cluster)
      return { command: server(port), tie: { signal: 'SIGINT', ...(cluster.as ? { as: cluster.as } : {}) }, cwd: '/' }
    },
    probe: (port) => asSuperuser(record, port, 'postgres', async () => undefined),
  }, giveUp)
  await ensureRoles(record, port)
  return {
    url: postgresUrl('tessera', record.tessera, port),
    signerUrl: postgresUrl('tessera_signer', record.signer, port),
    source: 'PostgreSQL 18 of this package',
    data: cluster.holder,
    get pid() { return kept.pid },
    ready: kept.ready,
    stop: kept.stop,
  }
}

const MiB = 1024 * 1024

/**
 * Pages that are kept, and log between two checkpoints, by the size of the machine, which is not the server's alone:
 * an eighth of its memory, 128 MiB to 1 GiB. The server's own defaults are for machines of long ago: an import of a
 * million rows would write the same pages again and again. Source: PostgreSQL, sections 19.4 and 28.5.
 */
function sized(): string[] {
  const buffers = Math.round(Math.min(1024, Math.max(128, totalmem() / MiB / 8)))
  return ['-c', `shared_buffers=${buffers}MB`, '-c', 'max_wal_size=2GB', '-c', 'min_wal_size=512MB']
}
