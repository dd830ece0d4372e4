import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { listUnsafeProductionReasons } from '../../../core/app/settings.production.ts'
import { withoutSigningSettings } from '../../../core/app/settings.signing.ts'
import { readSettings, SettingsError } from '../../../core/app/settings.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'

const senderKey = `0x${'5e'.repeat(32)}`

describe('Signer: secrets that sign transactions', () => {
  const dataDir = createTemporaryFolder()
  let running: OwnPlatform
  before(async () => {
    running = await startPlatform({
      dataDir,
      needsBridge: true,
      env: {
        XDC_APOTHEM_SENDER_KEYS: senderKey,
        ETHEREUM_ANVIL_SENDER_KEYS: senderKey,
        SIGNER_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
      },
    })
  })
  after(async () => {
    await running.stop()
    await removeFolder(dataDir)
  })

  const environOf = (name: 'server' | 'worker' | 'bridge' | 'signer') =>
    readFileSync(`/proc/${running.children[name].pid ?? 0}/environ`, 'utf8')
  const secrets = [senderKey, Buffer.alloc(32, 9).toString('base64'), 'SENDER_KEYS', 'SIGNER_KEY_ENCRYPTION_KEY']

  it('is in the environment of the signer and of no other process', () => {
    for (const name of ['server', 'worker', 'bridge'] as const) {
      const environ = environOf(name)
      expect(
        secrets.filter((secret) => environ.includes(secret)),
        name,
      ).to.deep.equal([])
    }
    expect(secrets.filter((secret) => environOf('signer').includes(secret))).to.deep.equal(secrets)
  })

  it('is not with what API and bridge hold: the signer has none of theirs', () => {
    const environ = environOf('signer')
    const theirs = ['SESSION_SECRET', 'BOOTSTRAP_API_KEY', 'MCP_SECRET', 'REDIS_URL', '\0KEY_ENCRYPTION_KEY']
    expect(theirs.filter((name) => environ.includes(name))).to.deep.equal([])
  })

  it('is served on a socket that only its user opens', () => {
    const socket = /SIGNER_SOCKET=([^\0]+)/.exec(environOf('signer'))?.[1] ?? ''
    expect((statSync(socket).mode & 0o777).toString(8)).to.equal('600')
    expect((statSync(join(dataDir, 'signer.json')).mode & 0o777).toString(8)).to.equal('600')
  })

  it('is refused by API and worker in production, and forgotten elsewhere', () => {
    const env: NodeJS.ProcessEnv = { NODE_ENV: 'test', XDC_MAINNET_SENDER_KEYS: senderKey }
    const settings = readSettings(env)
    expect(listUnsafeProductionReasons({ ...settings, production: true }).join()).to.match(
      /SENDER_KEYS are not allowed here/,
    )
    expect(withoutSigningSettings(settings, env).senderKeys).to.deep.equal({})
    expect(env).to.not.have.property('XDC_MAINNET_SENDER_KEYS')
  })

  it('never is the key of who owns the contracts', () => {
    const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    expect(readSettings({ NODE_ENV: 'test' }).owners).to.deep.equal({ EthereumAnvil: owner })
    for (const wrong of ['0x12', `0x${'0'.repeat(40)}`, 'multisig']) {
      expect(() => readSettings({ NODE_ENV: 'test', BASE_MAINNET_OWNER: wrong })).to.throw(
        SettingsError,
        'BASE_MAINNET_OWNER',
      )
    }
    expect(readSettings({ NODE_ENV: 'test', BASE_MAINNET_OWNER: owner }).owners.BaseMainnet).to.equal(owner)
  })
})
