import { totalmem } from 'node:os'
import { join } from 'node:path'
import { createForeignPart, keepPart, type Part, type PartOptions } from '../part.ts'
import { preparePostgresBinaries } from './postgres.binaries.ts'
import { readCluster, ensureCluster } from './postgres.cluster.ts'
import { clearLeftovers } from './postgres.leftover.ts'
import { runAsSuperuser, ensureRoles, createPostgresUrl } from './postgres.roles.ts'

export interface PostgresPart extends Part {
  /** URL of the database for the signer's own role. */
  signerUrl: string
  /** Folder of the data; undefined if somebody else runs the server. */
  data?: string
}

export interface PostgresOptions extends PartOptions {
  /** URL of a server that somebody else runs. The signer then uses the same role. */
  url?: string | undefined
  /** False in tests: a power failure may lose data then, but a killed server still loses none. */
  durable?: boolean
}

/** Starts PostgreSQL: uses the given server, or runs one on a free port of 127.0.0.1 with its data in `dataDir`. */
export async function startPostgres({ url, dataDir, giveUp, durable = true }: PostgresOptions): Promise<PostgresPart> {
  if (url !== undefined) return { ...createForeignPart(url, 'DATABASE_URL'), signerUrl: url }
  const binaries = await preparePostgresBinaries()
  const cluster = readCluster(dataDir)
  const { record } = cluster
  await ensureCluster(cluster, binaries)
  const createCommand = (port: number): [string, ...string[]] => [
    join(binaries, 'bin/postgres'),
    '-D',
    cluster.data,
    '-p',
    `${port}`,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'max_connections=200',
    '-c',
    'timezone=UTC',
    '-c',
    'log_timezone=UTC',
    ...createSizeArguments(),
    ...(durable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off']),
  ]
  const { kept, port } = await keepPart(
    {
      name: 'postgres',
      logPath: join(dataDir, 'logs/postgres.log'),
      stopSignal: 'SIGINT',
      stopTimeoutMs: 10_000,
      isEssential: true,
      // After a crash, the server may have to replay gigabytes of its log. If it is killed meanwhile, it begins again.
      startTimeoutMs: 600_000,
      async launch(port) {
        await clearLeftovers(cluster)
        return {
          command: createCommand(port),
          tie: { signal: 'SIGINT', ...(cluster.as ? { as: cluster.as } : {}) },
          cwd: '/',
        }
      },
      probePort: (port) => runAsSuperuser(record, port, 'postgres', async () => undefined),
    },
    giveUp,
  )
  await ensureRoles(record, port)
  return {
    url: createPostgresUrl('tessera', record.tessera, port),
    signerUrl: createPostgresUrl('tessera_signer', record.signer, port),
    source: 'PostgreSQL 18 of this package',
    data: cluster.holder,
    get pid() {
      return kept.pid
    },
    ready: kept.ready,
    stop: kept.stop,
  }
}

const MiB = 1024 * 1024

/**
 * Returns the sizes of the page cache and of the log between two checkpoints. The server shares the machine with other
 * programs, so the cache takes an eighth of the memory, 128 MiB to 1 GiB. The server's own defaults suit much older
 * machines: an import of a million rows would write the same pages again and again. Source: PostgreSQL, sections 19.4
 * and 28.5.
 */
function createSizeArguments(): string[] {
  const buffers = Math.round(Math.min(1024, Math.max(128, totalmem() / MiB / 8)))
  return ['-c', `shared_buffers=${buffers}MB`, '-c', 'max_wal_size=2GB', '-c', 'min_wal_size=512MB']
}
