import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { runAsSuperuser } from '../../../core/embedded/postgres/postgres.roles.ts'
import { startPostgres } from '../../../core/embedded/postgres/postgres.ts'
import { removeFolder, createTemporaryFolder } from '../folders.ts'
import { copyPreparedCluster } from './prepared-cluster.ts'

/** Starts a database server for a test file, which may create as many databases as it wants. */
export async function startDatabaseServer() {
  const dataDir = createTemporaryFolder()
  await copyPreparedCluster(dataDir)
  const server = await startPostgres({
    dataDir,
    durable: false,
    giveUp: (cause) => {
      throw cause
    },
  })
  const { record } = readCluster(dataDir)
  const port = Number(new URL(server.url).port)
  let databaseCount = 0
  return {
    /** Creates a database and returns its addresses for the two roles. */
    async createDatabase() {
      const name = `chains_${++databaseCount}`
      await runAsSuperuser(record, port, 'postgres', (client) => client.query(`create database ${name} owner tessera`))
      await runAsSuperuser(record, port, name, (client) =>
        client.query('create schema signer authorization tessera_signer'),
      )
      return { url: replaceDatabaseName(server.url, name), signerUrl: replaceDatabaseName(server.signerUrl, name) }
    },
    async stop() {
      await server.stop()
      await removeFolder(dataDir)
    },
  }
}
export type DatabaseServer = Awaited<ReturnType<typeof startDatabaseServer>>

const replaceDatabaseName = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
