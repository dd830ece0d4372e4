import { execFile } from 'node:child_process'
import { createCipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { createSeal } from '../../../../core/kernel/sealing/seal.ts'
import { createApiClient } from '../../../support/client.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { removeFolder, createTemporaryFolder } from '../../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { listSealedKeys, replaceSealedKey, type SealedKey } from '../../../support/rows/certification/sealed-keys.ts'
import { replaceSealedWallet } from '../../../support/rows/chains/sealed-wallets.ts'
import { listSealedSecrets, replaceSealedSecret } from '../../../support/rows/identity/organization-settings.ts'
import { listSignerKeys } from '../../../support/rows/chains/signer.ts'

const [oldKey, newKey, oldSigner, newSigner] = [1, 2, 3, 4].map((byte) =>
  Buffer.alloc(32, byte).toString('base64'),
) as [string, string, string, string]
const entry = join(import.meta.dirname, '../../../../core/commands/admin/admin.ts')
const platformKeys = { KEY_ENCRYPTION_KEY: newKey, KEY_ENCRYPTION_KEYS_OLD: oldKey }

/** As versions sealed that did not write the id of the key: nonce, tag, cipher text. */
function sealedOnce(key: string, name: string, secret: Uint8Array): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonce).setAAD(Buffer.from(name))
  const text = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

describe('admin keys reseal', () => {
  const dataDir = createTemporaryFolder()
  let running: OwnPlatform
  let db: Knex
  before(async () => {
    running = await startPlatform({
      dataDir,
      env: {
        ...platformKeys,
        SIGNER_KEY_ENCRYPTION_KEY: newSigner,
        SIGNER_KEY_ENCRYPTION_KEYS_OLD: oldSigner,
      },
    })
    db = connectDatabase({ url: running.database, name: 'tests', maxConnections: 1 })
    const api = createApiClient(running.apiKey, running.api)
    const [own] = (await api.get('/v1/organizations')).body['data'] as unknown as { id: string }[]
    const settings = { authConfig: { auth0: { clientSecret: 'a-secret-of-tests' } } }
    expect((await api.patch(`/v1/organizations/${own?.id}`, { settings })).status).to.equal(200)
    await waitUntil('the signer has a wallet', async () => (await listWallets()).length > 0)
  })
  after(async () => {
    await db?.destroy()
    await running.stop()
    await removeFolder(dataDir)
  })

  const listWallets = () => listSignerKeys(running.signerDatabase)
  const reseal = async (own: NodeJS.ProcessEnv = {}) => {
    const env = createTestEnvironment({ ...platformKeys, ...own, DATA_DIR: dataDir })
    const { stdout } = await promisify(execFile)(process.execPath, [entry, 'keys', 'reseal', '--json'], { env })
    return JSON.parse(stdout) as unknown
  }
  const secretName = ({ id, organization }: { id: string; organization: string }) =>
    `organization-secret:${organization}:${id}`
  const keyName = ({ id, organization }: SealedKey) => `certification-key:${organization}:${id}`

  /** Puts everything back to what an old key sealed, half of it as versions did that wrote no id. @returns how many wallets */
  async function age(): Promise<number> {
    for (const row of await listSealedKeys(db)) {
      const secret = createSeal(newKey, [oldKey]).decrypt(keyName(row), row.sealed)
      await replaceSealedKey(db, { id: row.id, sealed: sealedOnce(oldKey, keyName(row), secret) })
    }
    for (const row of await listSealedSecrets(db)) {
      const secret = createSeal(newKey, [oldKey]).decrypt(secretName(row), row.sealed)
      await replaceSealedSecret(db, { id: row.id, sealed: sealedOnce(oldKey, secretName(row), secret) })
    }
    const wallets = await listWallets()
    for (const [index, { account, sealed }] of wallets.entries()) {
      const key = createSeal(newSigner, [oldSigner]).decrypt(`evm:${account}`, sealed)
      const before =
        index % 2 === 0
          ? createSeal(oldSigner).encrypt(`evm:${account}`, key)
          : sealedOnce(oldSigner, `evm:${account}`, key)
      await replaceSealedWallet(running.signerDatabase, { account, sealed: before })
    }
    return wallets.length
  }

  it('seals what an old key sealed, with and without its id, in the platform and in the signer, once', async () => {
    const wallets = await age()
    const keys = (await listSealedKeys(db)).length
    expect(await reseal()).to.deep.equal({
      certificationKeys: keys,
      mapperHeaders: 0,
      posSecrets: 0,
      walletSecrets: 0,
      organizationSecrets: 1,
      signerKeys: wallets,
    })
    const none = {
      certificationKeys: 0,
      mapperHeaders: 0,
      posSecrets: 0,
      walletSecrets: 0,
      organizationSecrets: 0,
      signerKeys: 0,
    }
    expect(await reseal()).to.deep.equal(none)
    const seal = createSeal(newKey)
    for (const row of await listSealedSecrets(db))
      expect(seal.decrypt(secretName(row), row.sealed).toString()).to.equal('a-secret-of-tests')
    for (const row of await listSealedKeys(db)) {
      expect(row.sealed.subarray(0, 12)).to.deep.equal(seal.prefix)
      expect(seal.decrypt(keyName(row), row.sealed).length).to.be.greaterThan(32)
    }
    for (const { account, sealed } of await listWallets()) {
      expect(createSeal(newSigner).decrypt(`evm:${account}`, sealed).length).to.equal(32)
    }
    expect(Math.min(wallets, keys)).to.be.greaterThan(0)
  })

  it('may be killed with -9 after a batch, loses nothing and goes on when it is run again', async () => {
    const wallets = await age()
    const death = await reseal({ TESSERA_FAULT: 'reseal.batch' }).then(
      () => 'ended',
      (cause: { signal?: string }) => cause.signal,
    )
    expect(death).to.equal('SIGKILL')
    for (const row of await listSealedKeys(db))
      expect(createSeal(newKey, [oldKey]).decrypt(keyName(row), row.sealed).length).to.be.greaterThan(32)
    for (const { account, sealed } of await listWallets()) {
      expect(createSeal(newSigner, [oldSigner]).decrypt(`evm:${account}`, sealed).length).to.equal(32)
    }
    expect(await reseal()).to.deep.equal({
      certificationKeys: 0,
      mapperHeaders: 0,
      posSecrets: 0,
      walletSecrets: 0,
      organizationSecrets: 1,
      signerKeys: wallets,
    })
  })
})
