import { clusterOf } from '../../core/embedded/postgres.cluster.ts'
import { asSuperuser } from '../../core/embedded/postgres.roles.ts'
import { startPostgres } from '../../core/embedded/postgres.ts'
import { removeFolder, temporaryFolder } from './platform.ts'

/** A database server of a test file, with as many databases as it wants. */
export async function startDatabaseServer() {
  const dataDir = temporaryFolder()
  const server = await startPostgres({ dataDir, durable: false, giveUp: (cause) => { throw cause } })
  const { record } = clusterOf(dataDir)
  const port = Number(new URL(server.url).port)
  let made = 0
  return {
    /** A new database with its two roles' addresses. */
    async database() {
      const name = `chains_${++made}`
      await asSuperuser(record, port, 'postgres', (client) => client.query(`create database ${name} owner tessera`))
      await asSuperuser(record, port, name, (client) =>
        client.query('create schema signer authorization tessera_signer'))
      return { url: renamed(server.url, name), signerUrl: renamed(server.signerUrl, name) }
    },
    async stop() {
      await server.stop()
      await removeFolder(dataDir)
    },
  }
}
export type DatabaseServer = Awaited<ReturnType<typeof startDatabaseServer>>

const renamed = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
