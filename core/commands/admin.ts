import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PlaceError } from '../embedded/postgres.place.ts'
import { Problem } from '../kernel/problem.ts'
import { StartError } from '../kernel/process.ts'
import { FolderInUse } from '../start/lock.ts'
import type { Command, Given, ReadingCommand } from './admin.commands.ts'
import { described, readable, refusalLines, usage } from './admin.output.ts'

/** How a command ended that was not understood. */
class UsageError extends Error {
  override name = 'UsageError'
}

const globals = new Set(['--json', '--help', '-h'])

/** Runs one operator's command. @returns the exit code: 0 done, 1 refused or failed, 2 not understood */
async function main(args: string[]): Promise<number> {
  const asJson = args.includes('--json')
  const words = args.filter((arg) => !globals.has(arg))
  try {
    if (words[0] === 'help' || args.includes('--help') || args.includes('-h')) {
      await help(words.filter((word) => word !== 'help'), asJson)
      return 0
    }
    const { result, columns } = await run(words)
    process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `${readable(result, columns)}\n`)
    return 0
  } catch (error) {
    return explain(error, asJson)
  }
}

/** Shows the commands that begin with these words. */
async function help(words: readonly string[], asJson: boolean): Promise<void> {
  const { commands } = await import('./admin.commands.ts')
  const [area = '', act = ''] = words.filter((word) => !word.startsWith('-'))
  const exact = described(commands, `${area} ${act}`.trim())
  const found = exact.length > 0 ? exact : described(commands, area)
  if (found.length === 0) throw new UsageError(`There is no command ${area}.`)
  process.stdout.write(asJson ? `${JSON.stringify(found)}\n` : `${usage(found)}\n`)
}

interface Outcome { result: unknown; columns?: readonly string[] | undefined }

async function run([first = '', second = '', ...others]: string[]): Promise<Outcome> {
  const words = `${first} ${second}`.trim()
  if (first === 'migrate' && words === first) return { result: await migrateDatabase() }
  if (first === 'backup' || first === 'restore') return { result: await archive(first, [second, ...others]) }
  if (first === 'openapi') return { result: await writeDocument([second, ...others].filter(Boolean)) }
  const { commands } = await import('./admin.commands.ts')
  const command = Object.hasOwn(commands, words) ? commands[words] : undefined
  if (!command) throw new UsageError(words === '' ? 'Which command?' : `There is no command ${words}.`)
  const given = read(command, words, others)
  const { columns } = command
  if ('read' in command) {
    const { reading } = await import('./admin.reader.ts')
    return { result: await reading((reader) => command.read(reader, given)), columns }
  }
  return { result: await runOnPlatform(command, given), columns }
}

async function runOnPlatform(command: Command, given: Given): Promise<unknown> {
  const [{ contextOf }, { operatorSettings }] = await Promise.all([import('../context.ts'), import('./admin.surroundings.ts')])
  const settings = operatorSettings(process.env)
  const { context, close } = await contextOf({ ...settings, redisUrl: undefined, logLevel: 'silent' }, 'admin')
  try {
    return await command.run(context, given)
  } finally {
    await close()
  }
}

async function migrateDatabase() {
  const [{ migrate }, { demand }, { operatorSettings }] = await Promise.all([
    import('./migrate.ts'), import('../settings.ts'), import('./admin.surroundings.ts'),
  ])
  const settings = demand(operatorSettings(process.env), 'databaseUrl')
  return { migrated: await migrate(settings.databaseDirectUrl ?? settings.databaseUrl) }
}

async function archive(act: 'backup' | 'restore', words: string[]): Promise<unknown> {
  const [file = '', ...others] = words
  if (file === '' || file.startsWith('-') || others.length > 0) throw new UsageError(`${act} takes the name of one file.`)
  if (act === 'backup') return (await import('./backup/backup.ts')).backup(process.env, resolve(file))
  return (await import('./backup/restore.ts')).restore(process.env, resolve(file))
}

async function writeDocument(args: string[]) {
  if (args.some((arg) => arg !== '--check')) throw new UsageError('openapi takes only --check.')
  const { writeOpenapi } = await import('./openapi.ts')
  return { current: await writeOpenapi(args.includes('--check')) }
}

/** Options and words behind a command. @throws UsageError */
function read({ options = [], flags = [], rest = 0 }: Command | ReadingCommand, words: string, args: string[]) {
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

async function explain(error: unknown, asJson: boolean): Promise<number> {
  if (error instanceof UsageError) {
    const { commands } = await import('./admin.commands.ts')
    process.stderr.write(`${error.message}\n\n${usage(described(commands, ''))}\n`)
    return 2
  }
  if (error instanceof Problem) {
    const { code, detail, errors } = error
    const refusal = JSON.stringify({ error: { code, detail, ...(errors && { errors }) } })
    if (asJson) process.stdout.write(`${refusal}\n`)
    else process.stderr.write(refusalLines(error))
    return 1
  }
  const isSentence = error instanceof StartError || error instanceof FolderInUse || error instanceof PlaceError
  const stack = error instanceof Error && !isSentence ? error.stack : undefined
  process.stderr.write(`${stack ?? (error instanceof Error ? error.message : String(error))}\n`)
  return 1
}

process.exitCode = await main(process.argv.slice(2))
