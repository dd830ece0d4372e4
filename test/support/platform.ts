import { existsSync } from 'node:fs'

// Tests name permissions, codes and jobs, which areas declare. An earlier product has no registry of them.
const registryFile = new URL('../../core/app/registry.ts', import.meta.url)
if (existsSync(registryFile)) await import(registryFile.href)

/** The addresses and credentials of a platform under test. */
export interface PlatformUnderTest {
  /** The address of the API, without a slash at the end. */
  api: string
  /** The address of the bridge's endpoint, `…/mcp`. */
  bridge: string
  /** The address of the outbox as JSON. */
  outbox: string
  /** A key of the demo organization with every permission. */
  apiKey: string
  organization: string
  application: string
  /** The e-mail address of the demo organization's owner. */
  signIn: string
  database: string
  /** The address of the database for the signer's role. */
  signerDatabase: string
  /** Undefined if no Redis is available. */
  redis?: string
  /** The address of the development chain. */
  rpc: string
  dataDir: string
}

const platformVariable = 'TEST_PLATFORM'

/** The platform that `npm test` started for the whole suite. */
export const platform: PlatformUnderTest = new Proxy({} as PlatformUnderTest, {
  get(_, member) {
    const text = process.env[platformVariable]
    if (text === undefined) throw new Error('No platform runs for this test: start it with npm test -- <file>')
    return (JSON.parse(text) as Record<string | symbol, unknown>)[member]
  },
})

/** Creates the environment through which the suite's processes find the shared platform. */
export const createSharedEnvironment = (found: PlatformUnderTest): NodeJS.ProcessEnv => ({
  [platformVariable]: JSON.stringify(found),
})
