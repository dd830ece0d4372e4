import type { ChildName } from '../../../core/start/platform.ts'
import type { OwnPlatformOptions } from '../own-platform.ts'

const entry = 'test/support/children/obedient.ts'

/** A platform whose four processes do nothing, for tests of how processes are supervised. */
export const obedientPlatform = {
  entries: { signer: entry, server: entry, worker: entry, bridge: entry },
  database: {
    migrate: async () => undefined,
    seed: async () => ({
      organization: 'an organization',
      application: 'an application',
      apiKey: 'a key',
      signIn: 'a@b.example',
    }),
  },
} satisfies OwnPlatformOptions

/** Returns the address that an obedient child wrote at its last start. */
export function findChildAddress(lines: string[], name: ChildName): string {
  const line = lines.findLast((text) => text.startsWith(`${name} {"msg":"obedient"`)) ?? ''
  const { address } = JSON.parse(line.slice(name.length + 1)) as { address: { port: number } }
  return `http://127.0.0.1:${address.port}`
}
