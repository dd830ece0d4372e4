import { resolverOfTests } from './dns.ts'

/**
 * The environment of a platform under test: nothing of the person's own settings reaches it, so that the suite means
 * the same everywhere. No limits of requests and codes, unless a test asks for them.
 */
export function testEnvironment(own: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(ofTheMachine.map((name) => [name, process.env[name]])),
    NODE_ENV: 'test',
    DNS_RESOLVERS: resolverOfTests(),
    RATE_LIMIT_KEY_PER_MINUTE: '0',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '0',
    MCP_CALLS_PER_MINUTE: '0',
    CODE_SENDS_PER_ADDRESS_HOUR: '0',
    CODE_SENDS_PER_APPLICATION_HOUR: '0',
    CODE_SENDS_PER_ORGANIZATION_HOUR: '0',
    ...own,
  }
}

const ofTheMachine = [
  'PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR', 'XDG_CACHE_HOME',
  'NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
]
