import { getTestResolver } from './network/dns.ts'

/**
 * Creates the environment of a platform under test. It contains nothing of the user's own settings, so that the suite
 * behaves the same everywhere. Limits of requests and codes are off unless a test sets them.
 */
export function createTestEnvironment(overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(machineVariables.map((name) => [name, process.env[name]])),
    NODE_ENV: 'test',
    // Most tests call a few of the routes. The hostile calls of every operation compile all of them.
    COMPILE_ROUTES: 'on-demand',
    DNS_RESOLVERS: getTestResolver(),
    RATE_LIMIT_KEY_PER_MINUTE: '0',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '0',
    MCP_CALLS_PER_MINUTE: '0',
    CODE_SENDS_PER_ADDRESS_HOUR: '0',
    CODE_SENDS_PER_APPLICATION_HOUR: '0',
    CODE_SENDS_PER_ORGANIZATION_HOUR: '0',
    ...overrides,
  }
}

const machineVariables = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'TZ',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'NODE_OPTIONS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]
