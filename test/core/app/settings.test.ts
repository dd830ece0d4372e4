import { expect } from 'chai'
import { assertSettings, readSettings as readAnySettings, SettingsError } from '../../../core/app/settings.ts'

/** As a person's own machine reads them, unless a test says otherwise. */
const readSettings = (env: NodeJS.ProcessEnv) => readAnySettings({ NODE_ENV: 'development', ...env })

const refusal = (env: NodeJS.ProcessEnv) => {
  try {
    readSettings(env)
  } catch (cause) {
    if (cause instanceof SettingsError) return cause.message
    throw cause
  }
  throw new Error('the settings were accepted')
}

describe('core/settings', () => {
  it('have a value for everything that a machine of one person needs', () => {
    const settings = readSettings({})
    expect(settings).to.include({
      port: 3333,
      bridgePort: 3334,
      host: '127.0.0.1',
      production: false,
      magicTokenDays: 90,
      eventRetentionDays: 400,
      rateLimitKeyPerMinute: 6000,
      rateLimitAddressPerMinute: 1200,
      importCsvSyncRowCap: 0,
      trustProxy: false,
    })
    expect(settings.dataDir).to.match(/^\/.*\/\.data$/)
  })

  it('derive their own addresses from the host and the ports', () => {
    expect(readSettings({ PORT: '81', BRIDGE_PORT: '82' })).to.include({
      baseUrl: 'http://127.0.0.1:81',
      publicUrl: 'http://127.0.0.1:81',
      apiUrl: 'http://127.0.0.1:81',
      mcpUrl: 'http://127.0.0.1:82/mcp',
    })
    expect(readSettings({ HOST: '::' }).baseUrl).to.equal('http://localhost:3333')
    expect(readSettings({ HOST: '::1' }).baseUrl).to.equal('http://[::1]:3333')
    const behindProxy = readSettings({ BASE_URL: 'https://a.example/' })
    expect(behindProxy).to.include({ baseUrl: 'https://a.example', publicUrl: 'https://a.example' })
  })

  it('are refused with the name and what is allowed, all wrong ones at once', () => {
    const message = refusal({ PORT: '70000', LOG_LEVEL: 'loud', TRUST_PROXY: 'maybe' })
    expect(message).to.match(/^PORT .*from 1 to 65535/m)
    expect(message).to.match(/^LOG_LEVEL .*debug/m)
    expect(message).to.match(/^TRUST_PROXY .*true or false/m)
  })

  for (const [name, wrong] of Object.entries({
    KEY_ENCRYPTION_KEY: 'dG9vIHNob3J0',
    SESSION_SECRET: 'short',
    BOOTSTRAP_API_KEY: 'tsr_test_short',
    DATABASE_URL: 'mysql://u:word@h',
    ETHEREUM_ANVIL_SENDER_KEYS: 'not-a-key',
    BASE_SEPOLIA_RPC_URL: 'ws://secret-part',
    SIGNER_SOCKET: `/${'long'.repeat(30)}`,
    TESSERA_FAULT: 'Not A Point',
    OUTBOUND_RESOLVE: 'a.example=127.0.0.1',
    MAGIC_TOKEN_DAYS: '-5000',
    RATE_LIMIT_KEY_PER_MINUTE: '1.5',
    PORT: 'NaN',
    HOST: 'a b',
  })) {
    it(`refuse a wrong ${name} without repeating it`, () => {
      expect(refusal({ [name]: wrong }))
        .to.contain(name)
        .and.not.contain(wrong)
    })
  }

  it('count an empty variable as one that is not set', () => {
    const settings = readSettings({ PORT: '', REDIS_URL: ' ', DATA_DIR: '' })
    expect(settings).to.include({ port: 3333 }).and.not.have.property('redisUrl')
  })

  it('know a network by its variables, and the development chain by its short name too', () => {
    const key = `0x${'1'.repeat(64)}`
    const { rpcUrls, senderKeys } = readSettings({
      ANVIL_RPC_URL: 'http://127.0.0.1:1',
      BASE_SEPOLIA_RPC_URL: 'https://b.example',
      XDC_MAINNET_SENDER_KEYS: `${key}, ${key}`,
    })
    expect(rpcUrls).to.deep.equal({ EthereumAnvil: 'http://127.0.0.1:1', BaseSepolia: 'https://b.example' })
    expect(senderKeys).to.deep.equal({ XdcMainnet: [key, key] })
  })

  it('take the long name of the development chain before the short one', () => {
    const names = { ANVIL_RPC_URL: 'http://127.0.0.1:1', ETHEREUM_ANVIL_RPC_URL: 'http://127.0.0.1:2' }
    expect(readSettings(names).rpcUrls).to.deep.equal({ EthereumAnvil: 'http://127.0.0.1:2' })
  })

  it('need KEY_ENCRYPTION_KEY and know no fault points in production, the default of NODE_ENV', () => {
    const keyEncryptionKey = Buffer.alloc(32).toString('base64')
    expect(refusal({ NODE_ENV: 'production' })).to.contain('KEY_ENCRYPTION_KEY')
    const production = { NODE_ENV: 'production', KEY_ENCRYPTION_KEY: keyEncryptionKey }
    expect(refusal({ ...production, TESSERA_FAULT: 'mint.signed' })).to.contain('TESSERA_FAULT')
    expect(refusal({ ...production, OUTBOUND_RESOLVE: 'a.example=127.0.0.1:1' })).to.contain('OUTBOUND_RESOLVE')
    expect(refusal({ NODE_ENV: '' })).to.contain('KEY_ENCRYPTION_KEY')
    expect(readSettings(production).production).to.equal(true)
  })

  it('are named by their variable when a process cannot do without them', () => {
    expect(() => assertSettings(readSettings({}), 'databaseUrl')).to.throw(SettingsError, 'DATABASE_URL')
    const settings = readSettings({ DATABASE_URL: 'postgres://h/d' })
    expect(assertSettings(settings, 'databaseUrl').databaseUrl).to.equal('postgres://h/d')
  })
})
