import { parseArgs } from 'node:util'
import { Problem } from '../kernel/problem.ts'
import { demand, SettingsError } from '../settings.ts'
import type { Command } from './admin.commands.ts'
import { operatorSettings } from './admin.surroundings.ts'

/** How a command ended that was not understood. */
class UsageError extends Error {
  override name = 'UsageError'
}

/** Runs one operator's command. @returns the exit code: 0 done, 1 refused or failed, 2 not understood */
async function main(args: string[]): Promise<number> {
  const asJson = args.includes('--json')
  if (['help', '--help', '-h'].includes(args[0] ?? '')) {
    process.stdout.write(`${await usage()}\n`)
    return 0
  }
  try {
    const result = await run(args.filter((arg) => arg !== '--json'))
    process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `${readable(result)}\n`)
    return 0
  } catch (error) {
    return explain(error, asJson)
  }
}

async function run([first = '', second = '', ...others]: string[]): Promise<unknown> {
  const words = `${first} ${second}`.trim()
  if (first === 'migrate' && words === first) return migrateDatabase()
  if (first === 'openapi') return writeDocument([second, ...others].filter(Boolean))
  const { commands } = await import('./admin.commands.ts')
  const command = Object.hasOwn(commands, words) ? commands[words] : undefined
  if (!command) throw new UsageError(words === '' ? 'Which command?' : `There is no command ${words}.`)
  const given = read(command, words, others)
  const { contextOf } = await import('../context.ts')
  const settings = operatorSettings(process.env)
  const { context, close } = await contextOf({ ...settings, redisUrl: undefined, logLevel: 'silent' }, 'admin')
  try {
    return await command.run(context, given)
  } finally {
    await close()
  }
}

async function migrateDatabase() {
  const { migrate } = await import('./migrate.ts')
  const settings = demand(operatorSettings(process.env), 'databaseUrl')
  return { migrated: await migrate(settings.databaseDirectUrl ?? settings.databaseUrl) }
}

async function writeDocument(args: string[]) {
  if (args.some((arg) => arg !== '--check')) throw new UsageError('openapi takes only --check.')
  const { writeOpenapi } = await import('./openapi.ts')
  return { current: await writeOpenapi(args.includes('--check')) }
}

/** Options and words behind a command. @throws UsageError */
function read({ options = [], flags = [], rest = 0 }: Command, words: string, args: string[]) {
  const names = options.map((name) => name.replace('!', ''))
  const typed = (type: 'string' | 'boolean') => (name: string) => [name, { type }] as const
  const known = [...names.map(typed('string')), ...flags.map(typed('boolean'))]
  const { values, positionals } = parse(args, Object.fromEntries(known))
  const missing = options.filter((name) => name.endsWith('!') && values[name.slice(0, -1)] === undefined)
  if (missing.length > 0) {
    throw new UsageError(`${words} needs ${missing.map((name) => `--${name.slice(0, -1)}`).join(' and ')}.`)
  }
  if (positionals.length !== rest) {
    throw new UsageError(`${words} takes ${rest === 0 ? 'nothing' : 'one word'} beside its options.`)
  }
  return {
    options: Object.fromEntries(names.map((name) => [name, values[name] as string | undefined])),
    flags: new Set(flags.filter((name) => values[name] === true)),
    rest: positionals,
  }
}

function parse(args: string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function usage(): Promise<string> {
  const { commands } = await import('./admin.commands.ts')
  const lines = Object.entries(commands).map(([words, { takes, does }]) => `  ${words} ${takes}`.trimEnd() + `\n      ${does}`)
  return [
    'Usage: npm run --silent admin -- <command> [--json]', '', ...lines,
    '  migrate\n      Brings the database to the newest schema.',
    '  openapi [--check]\n      Writes openapi.json.',
    '  help\n      Shows this.',
  ].join('\n')
}

async function explain(error: unknown, asJson: boolean): Promise<number> {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${await usage()}\n`)
    return 2
  }
  if (error instanceof Problem) {
    const { code, detail, errors } = error
    if (asJson) process.stdout.write(`${JSON.stringify({ error: { code, detail, ...(errors && { errors }) } })}\n`)
    process.stderr.write(`${detail}\n${(errors ?? []).map(({ path, message }) => `  ${path}: ${message}\n`).join('')}`)
    return 1
  }
  const stack = error instanceof Error && !(error instanceof SettingsError) ? error.stack : undefined
  process.stderr.write(`${stack ?? (error instanceof Error ? error.message : String(error))}\n`)
  return 1
}

/** For people: a line a member, tables as JSON lines. */
function readable(result: unknown): string {
  if (Array.isArray(result)) return result.map((row) => JSON.stringify(row)).join('\n')
  if (typeof result !== 'object' || result === null) return String(result)
  const shown = (value: unknown) => typeof value === 'string' ? value : JSON.stringify(value)
  return Object.entries(result).map(([name, value]) => `${name}: ${shown(value)}`).join('\n')
}

process.exitCode = await main(process.argv.slice(2))
