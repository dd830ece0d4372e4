import type { ProblemError } from '../../kernel/problem.ts'
import type { Command, ReadingCommand } from './admin.commands.ts'

type Row = Record<string, unknown>

/**
 * Formats a result for people: a line for each member, or a table.
 * @param columns columns of a list to show, by default all
 */
export function formatResult(result: unknown, columns?: readonly string[]): string {
  if (Array.isArray(result)) return formatTable(result as Row[], columns)
  if (typeof result !== 'object' || result === null) return String(result)
  return Object.entries(result)
    .map(([name, value]) => `${name}: ${formatValue(value)}`)
    .join('\n')
}

const formatValue = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : value instanceof Date
      ? value.toISOString()
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)

function formatTable(
  rows: readonly Row[],
  columns: readonly string[] = [...new Set(rows.flatMap((row) => Object.keys(row)))],
): string {
  if (rows.length === 0) return 'There are none.'
  const lines = [columns, ...rows.map((row) => columns.map((column) => formatValue(row[column])))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The commands that `admin.ts` handles itself. The usage shows them as well. */
const otherCommands = {
  migrate: { takes: '', does: 'Brings the database to the newest schema.' },
  backup: {
    takes: '<file>',
    does: 'One archive of database, kept files and development chain, also while everything runs; no key is in it.',
  },
  restore: { takes: '<file>', does: 'Fills an empty instance from a backup; its keys have to be there already.' },
  openapi: { takes: '[--check]', does: 'Writes openapi.json.' },
  help: { takes: '', does: 'Shows this.' },
}

/** Describes the commands whose words begin with `first`. */
export function describeCommands(commands: Record<string, Command | ReadingCommand>, first: string) {
  const all = Object.entries({ ...commands, ...otherCommands }).map(([command, { takes, does }]) => ({
    command,
    takes,
    does,
  }))
  return all.filter(({ command }) => `${command} `.startsWith(first === '' ? '' : `${first} `))
}

export function formatUsage(list: ReturnType<typeof describeCommands>): string {
  const lines = list.map(({ command, takes, does }) => `${`  ${command} ${takes}`.trimEnd()}\n      ${does}`)
  return ['Usage: npm run --silent admin -- <command> [--json] [--help]', '', ...lines].join('\n')
}

/** Formats a refusal for people and shows each issue once. */
export function formatRefusal({ detail, errors = [] }: ProblemError): string {
  const isSaidBelow = errors.some(({ path, message }) => [message, `${path}: ${message}`].includes(detail))
  const first = isSaidBelow ? 'That is not valid:' : detail
  return [first, ...errors.map(({ path, message }) => `  ${path}: ${message}`), ''].join('\n')
}
