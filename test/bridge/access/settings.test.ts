import { expect } from 'chai'
import { readSettings, SettingsError } from '../../../bridge/access/settings.ts'

describe('Bridge: settings', () => {
  it('have a value for a machine of one person', () => {
    expect(readSettings({})).to.deep.equal({
      host: '127.0.0.1',
      port: 3334,
      apiUrl: 'http://127.0.0.1:3333',
      documentUrl: 'http://127.0.0.1:3333/openapi.json',
      resourcesUrl: 'http://127.0.0.1:3333',
      mcpUrl: 'http://127.0.0.1:3334/mcp',
      allowedHosts: [],
      allowedOrigins: [],
      secret: null,
      redisUrl: null,
      metricsPort: null,
      trustProxy: false,
      maxCallsPerMinute: 600,
      logLevel: 'info',
    })
  })

  it('derive addresses from the host and the ports', () => {
    expect(readSettings({ HOST: '::1', PORT: '81', BRIDGE_PORT: '82' })).to.include({
      apiUrl: 'http://[::1]:81',
      mcpUrl: 'http://[::1]:82/mcp',
    })
    expect(readSettings({ HOST: '0.0.0.0' }).apiUrl).to.equal('http://localhost:3333')
    expect(readSettings({ API_URL: 'https://api.example/base/' }).apiUrl).to.equal('https://api.example/base')
  })

  it('take the document from another address, and the API from the document', () => {
    const url = 'https://docs.example/openapi.yaml?v=1'
    expect(readSettings({ OPENAPI_URL: url })).to.include({ documentUrl: url, apiUrl: null, resourcesUrl: null })
    expect(readSettings({ OPENAPI_URL: url, API_URL: 'http://inside:81' })).to.include({
      documentUrl: url,
      apiUrl: 'http://inside:81',
      resourcesUrl: 'http://inside:81',
    })
    for (const wrong of ['file:///etc/passwd', 'https://user:word@docs.example/', 'openapi.json'])
      expect(() => readSettings({ OPENAPI_URL: wrong }), wrong).to.throw(SettingsError, 'OPENAPI_URL')
  })

  it('name resources by the API’s address unless they are told another', () => {
    expect(readSettings({ API_URL: 'http://inside:81/' }).resourcesUrl).to.equal('http://inside:81')
    const named = (text: string) => readSettings({ API_URL: 'http://inside:81', MCP_RESOURCES_URL: text }).resourcesUrl
    expect(named('https://api.example.org/base/')).to.equal('https://api.example.org/base')
    expect(named('urn:example:')).to.equal('urn:example:')
  })

  it('read lists between commas', () => {
    const settings = readSettings({
      MCP_ALLOWED_HOSTS: 'A.example, b.example:81 ,[::1]:5',
      MCP_ALLOWED_ORIGINS: 'https://a.example, http://b.example:81/',
    })
    expect(settings.allowedHosts).to.deep.equal(['a.example', 'b.example:81', '[::1]:5'])
    expect(settings.allowedOrigins).to.deep.equal(['https://a.example', 'http://b.example:81'])
  })

  it('read what several processes have in common', () => {
    const secret = Buffer.alloc(32, 7)
    const settings = readSettings({
      MCP_SECRET: secret.toString('base64'),
      REDIS_URL: 'redis://:word@127.0.0.1:6379/2',
      TRUST_PROXY: 'true',
      METRICS_PORT: '9100',
      MCP_CALLS_PER_MINUTE: '0',
    })
    expect(Buffer.from(settings.secret ?? []).equals(secret)).to.equal(true)
    expect(settings).to.include({
      redisUrl: 'redis://:word@127.0.0.1:6379/2',
      trustProxy: true,
      metricsPort: 9100,
      maxCallsPerMinute: 0,
    })
  })

  for (const [name, values] of Object.entries({
    BRIDGE_PORT: ['70000', '-1', '3334x', '3.5'],
    PORT: ['x'],
    HOST: ['a b', 'http://a'],
    API_URL: ['ftp://secret-part/', 'nowhere', 'http://u:secret-part@a', 'http://a/?q=secret-part'],
    MCP_RESOURCES_URL: [
      'nowhere',
      'https://a/?q=secret-part',
      'https://u:secret-part@a',
      'test:a b',
      'test:/#secret-part',
    ],
    MCP_URL: ['nowhere'],
    MCP_ALLOWED_HOSTS: ['http://a', 'a b', 'a,*'],
    MCP_ALLOWED_ORIGINS: ['a.example', 'https://a.example/path', '*', 'null'],
    MCP_SECRET: [
      'secret-part',
      Buffer.alloc(31).toString('base64'),
      Buffer.alloc(33).toString('base64'),
      '*'.repeat(44),
    ],
    REDIS_URL: ['http://secret-part/', 'secret-part', 'redis://secret-part with a gap'],
    METRICS_PORT: ['0', '65536', 'x'],
    TRUST_PROXY: ['yes', '1'],
    MCP_CALLS_PER_MINUTE: ['-1', '1.5', '1000000001', 'many'],
    LOG_LEVEL: ['loud'],
  })) {
    it(`refuse a wrong ${name} by its name`, () => {
      for (const value of values) {
        expect(() => readSettings({ [name]: value }), value).to.throw(
          SettingsError,
          new RegExp(`^${name} is not allowed: it must be (?!.*secret-part)`),
        )
      }
    })
  }
})
