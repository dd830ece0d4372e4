import { expect } from 'chai'
import { readSettings, SettingsError } from '../../bridge/settings.ts'

describe('the settings of the bridge', () => {
  it('have a value for a machine of one person', () => {
    expect(readSettings({})).to.deep.equal({
      host: '127.0.0.1',
      port: 3334,
      apiUrl: 'http://127.0.0.1:3333',
      mcpUrl: 'http://127.0.0.1:3334/mcp',
      allowedHosts: [],
      allowedOrigins: [],
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

  it('read lists between commas', () => {
    const settings = readSettings({
      MCP_ALLOWED_HOSTS: 'A.example, b.example:81 ,[::1]:5',
      MCP_ALLOWED_ORIGINS: 'https://a.example, http://b.example:81/',
    })
    expect(settings.allowedHosts).to.deep.equal(['a.example', 'b.example:81', '[::1]:5'])
    expect(settings.allowedOrigins).to.deep.equal(['https://a.example', 'http://b.example:81'])
  })

  for (const [name, values] of Object.entries({
    BRIDGE_PORT: ['70000', '-1', '3334x', '3.5'],
    PORT: ['x'],
    HOST: ['a b', 'http://a'],
    API_URL: ['ftp://secret-part/', 'nowhere', 'http://u:secret-part@a', 'http://a/?q=secret-part'],
    MCP_URL: ['nowhere'],
    MCP_ALLOWED_HOSTS: ['http://a', 'a b', 'a,*'],
    MCP_ALLOWED_ORIGINS: ['a.example', 'https://a.example/path', '*', 'null'],
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
