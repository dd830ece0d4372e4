import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ClusterPlaceError } from '../../embedded/postgres/postgres.place.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { StartError } from '../../kernel/process/process.ts'
import { FolderInUseError } from '../../start/lock.ts'
import type { Command, CommandInput, ReadingCommand } from './admin.commands.ts'
import { describeCommands, formatResult, formatRefusal, formatUsage } from './admin.output.ts'

/** Thrown when a command line is not understood. */
class UsageError extends Error {
  override name = 'UsageError'
}

const globalOptions = new Set(['--json', '--help', '-h'])

/** Runs one operator command. @returns the exit code: 0 done, 1 refused or failed, 2 not understood */
async function main(args: string[]): Promise<number> {
  const asJson = args.includes('--json')
  const words = args.filter((arg) => !globalOptions.has(arg))
  try {
    if (words[0] === 'help' || args.includes('--help') || args.includes('-h')) {
      await showHelp(
        words.filter((word) => word !== 'help'),
        asJson,
      )
      return 0
    }
    const { result, columns, hasFailed = false } = await runCommand(words)
    process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `${formatResult(result, columns)}\n`)
    return hasFailed ? 1 : 0
  } catch (error) {
    return printError(error, asJson)
  }
}

/** Prints the commands that begin with these words. */
async function showHelp(words: readonly string[], asJson: boolean): Promise<void> {
  const { commands } = await import('./admin.commands.ts')
  const [area = '', act = ''] = words.filter((word) => !word.startsWith('-'))
  const exact = describeCommands(commands, `${area} ${act}`.trim())
  const found = exact.length > 0 ? exact : describeCommands(commands, area)
  if (found.length === 0) throw new UsageError(`There is no command ${area}.`)
  process.stdout.write(asJson ? `${JSON.stringify(found)}\n` : `${formatUsage(found)}\n`)
}

interface CommandResult {
  result: unknown
  columns?: readonly string[] | undefined
  hasFailed?: boolean
}

async function runCommand([first = '', second = '', ...others]: string[]): Promise<CommandResult> {
  const words = `${first} ${second}`.trim()
  if (first === 'migrate' && words === first) return { result: await migrateDatabase() }
  if (first === 'backup' || first === 'restore') return { result: await runArchiveCommand(first, [second, ...others]) }
  if (first === 'openapi') return { result: await writeDocument([second, ...others].filter(Boolean)) }
  const { commands } = await import('./admin.commands.ts')
  const command = Object.hasOwn(commands, words) ? commands[words] : undefined
  if (!command) throw new UsageError(words === '' ? 'Which command?' : `There is no command ${words}.`)
  const given = parseInput(command, words, others)
  const { columns } = command
  if ('read' in command) {
    const { withReader } = await import('./admin.reader.ts')
    return { result: await withReader((reader) => command.read(reader, given)), columns }
  }
  const result = await runOnPlatform(command, given)
  return { result, columns, hasFailed: command.hasFailed?.(result as never) ?? false }
}

async function runOnPlatform(command: Command, given: CommandInput): Promise<unknown> {
  const [{ createContext }, { readOperatorSettings }] = await Promise.all([
    import('../../app/context.ts'),
    import('./admin.settings.ts'),
    // Commands name permissions, which areas declare.
    import('../../app/registry.ts'),
  ])
  const settings = readOperatorSettings(process.env)
  const { context, close } = await createContext({ ...settings, redisUrl: undefined, logLevel: 'silent' }, 'admin')
  try {
    return await command.run(context, given)
  } finally {
    await close()
  }
}

async function migrateDatabase() {
  const [{ migrateSchema }, { assertSettings }, { readOperatorSettings }] = await Promise.all([
    import('../migrate.ts'),
    import('../../app/settings.ts'),
    import('./admin.settings.ts'),
  ])
  const settings = assertSettings(readOperatorSettings(process.env), 'databaseUrl')
  return { migrated: await migrateSchema(settings.databaseDirectUrl ?? settings.databaseUrl) }
}

async function runArchiveCommand(act: 'backup' | 'restore', words: string[]): Promise<unknown> {
  const [file = '', ...others] = words
  if (file === '' || file.startsWith('-') || others.length > 0)
    throw new UsageError(`${act} takes the name of one file.`)
  if (act === 'backup') return (await import('../backup/backup.ts')).createBackup(process.env, resolve(file))
  return (await import('../backup/restore.ts')).restoreBackup(process.env, resolve(file))
}

async function writeDocument(args: string[]) {
  if (args.some((arg) => arg !== '--check')) throw new UsageError('openapi takes only --check.')
  const { writeOpenapi } = await import('../openapi.ts')
  return { current: await writeOpenapi(args.includes('--check')) }
}

/** Parses the options and words after a command. @throws UsageError */
function parseInput({ options = [], flags = [], rest = 0 }: Command | ReadingCommand, words: string, args: string[]) {
  const names = options.map((name) => name.replace('!', ''))
  const typed = (type: 'string' | 'boolean') => (name: string) => [name, { type }] as const
  const known = [...names.map(typed('string')), ...flags.map(typed('boolean'))]
  const { values, positionals } = parseArguments(args, Object.fromEntries(known))
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

function parseArguments(args: string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function printError(error: unknown, asJson: boolean): Promise<number> {
  if (error instanceof UsageError) {
    const { commands } = await import('./admin.commands.ts')
    process.stderr.write(`${error.message}\n\n${formatUsage(describeCommands(commands, ''))}\n`)
    return 2
  }
  if (error instanceof ProblemError) {
    const { code, detail, errors } = error
    const refusal = JSON.stringify({ error: { code, detail, ...(errors && { errors }) } })
    if (asJson) process.stdout.write(`${refusal}\n`)
    else process.stderr.write(formatRefusal(error))
    return 1
  }
  const isSentence =
    error instanceof StartError
    || error instanceof FolderInUseError
    || error instanceof ClusterPlaceError
    // Its module is loaded by the commands that ask a node.
    || (error instanceof Error && error.name === 'NodeUnavailableError')
  const stack = error instanceof Error && !isSentence ? error.stack : undefined
  process.stderr.write(`${stack ?? (error instanceof Error ? error.message : String(error))}\n`)
  return 1
}

process.exitCode = await main(process.argv.slice(2))
