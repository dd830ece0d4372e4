import { expect } from 'chai'
import { readSettings as readBridgeSettings } from '../../../bridge/access/settings.ts'
import {
  createBridgeEnvironment,
  createCommonEnvironment,
  addMetricsPort,
  type PlatformParts,
} from '../../../core/start/environment.ts'
import { readSettings } from '../../../core/app/settings.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'

const part = (url: string) => ({
  url,
  source: 'test',
  pid: undefined,
  ready: async () => undefined,
  stop: async () => undefined,
})

describe('npm start: the environment of the bridge', () => {
  const dataDir = createTemporaryFolder()
  after(() => removeFolder(dataDir))
  const parts = {
    postgres: { ...part('postgres://tessera@localhost/tessera'), signerUrl: 'postgres://signer@localhost/tessera' },
    redis: part('redis://:word@127.0.0.1:7'),
    anvil: part('http://127.0.0.1:8'),
  } as PlatformParts
  const given = (own: NodeJS.ProcessEnv = {}) => {
    const env = { NODE_ENV: 'test', DATA_DIR: dataDir, ...own }
    return createBridgeEnvironment(createCommonEnvironment(env, readSettings(env), parts))
  }

  it('is what it seals with, the same at each start on a folder', async () => {
    const [first, second] = [readBridgeSettings(given()), readBridgeSettings(given())]
    expect(first.secret).to.have.length(32)
    expect(second.secret).to.deep.equal(first.secret)
    const other = createTemporaryFolder()
    expect(readBridgeSettings(given({ DATA_DIR: other })).secret).not.to.deep.equal(first.secret)
    await removeFolder(other)
    const own = Buffer.alloc(32, 1).toString('base64')
    expect(given({ MCP_SECRET: own })['MCP_SECRET']).to.equal(own)
  })

  it('is where its processes meet, and the settings that are its own', () => {
    const env = given({ TRUST_PROXY: 'true', MCP_CALLS_PER_MINUTE: '7', MCP_RESOURCES_URL: 'https://api.example' })
    expect(readBridgeSettings(env)).to.include({
      redisUrl: 'redis://:word@127.0.0.1:7',
      trustProxy: true,
      maxCallsPerMinute: 7,
      resourcesUrl: 'https://api.example',
    })
  })

  it('is a port for its figures that is not the one of the API', async () => {
    const env = given({ METRICS_PORT: '9464' })
    expect(env).not.to.have.property('METRICS_PORT')
    expect(readBridgeSettings(await addMetricsPort(env)).metricsPort)
      .to.be.a('number')
      .and.not.equal(9464)
  })

  it('is nothing that opens the API, its database or its keys', () => {
    const secrets = { KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'), GOOGLE_API_KEY: 'x', AWS_SECRET: 'x' }
    expect(given(secrets)).to.not.have.any.keys(
      ...Object.keys(secrets),
      'DATABASE_URL',
      'SESSION_SECRET',
      'SIGNER_SECRET',
      'BOOTSTRAP_API_KEY',
      'SIGNER_SOCKET',
    )
  })
})
