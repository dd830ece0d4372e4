import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from './platform.ts'

/** The addresses and credentials that people and programs need to use a platform on this machine. */
export interface DemoAccess {
  api: string
  docs: string
  console: string
  bridge: string
  outbox: string
  organization: string
  application: string
  apiKey: string
  signIn: string
  chains: { network: string; rpc: string }[]
}

export function createDemoAccess({ settings, seeded }: Pick<Platform, 'settings' | 'seeded'>): DemoAccess {
  const { baseUrl, mcpUrl, rpcUrls } = settings
  const { organization, application, apiKey, signIn } = seeded
  return {
    api: baseUrl,
    docs: `${baseUrl}/docs`,
    console: `${baseUrl}/console`,
    bridge: mcpUrl,
    outbox: `${baseUrl}/dev/outbox`,
    organization,
    application,
    apiKey,
    signIn,
    chains: Object.entries(rpcUrls).map(([network, rpc]) => ({ network, rpc })),
  }
}

/** Writes `<dataDir>/demo.json`. Only this user can read the file, and the file is complete at every moment. */
export function writeDemo(dataDir: string, demo: DemoAccess): string {
  const file = join(dataDir, 'demo.json')
  writeFileSync(`${file}.draft`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.draft`, file)
  return file
}

/** Formats the table that `npm start` prints. @param data folder of the database, if this start runs the database */
export function formatDemoTable(demo: DemoAccess, file: string, data?: string): string {
  const rows: [string, string][] = [
    ['API', demo.api],
    ['API reference', demo.docs],
    ['Console', demo.console],
    ['Tool bridge (MCP)', demo.bridge],
    ['Outbox of mail and messages', demo.outbox],
    ['Organization', demo.organization],
    ['Application', demo.application],
    ['Sign in as', demo.signIn],
    ['API key', demo.apiKey],
    ...demo.chains.map(({ network, rpc }): [string, string] => [`Chain ${network}`, rpc]),
    ...(data === undefined ? [] : [['Database in', data] as [string, string]]),
    ['The same as JSON', file],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
  const rule = `  ${'-'.repeat(Math.max(...lines.map((line) => line.length)) - 2)}`
  return ['', '  Tessera is ready', rule, ...lines, rule, '  Ctrl-C stops everything.', ''].join('\n')
}
