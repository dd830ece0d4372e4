import type { Problem } from '../kernel/problem.ts'
import type { Command, ReadingCommand } from './admin.commands.ts'

type Row = Record<string, unknown>

/** A result for people: a line a member, or a table. @param columns of a list that are shown; all unless stated */
export function readable(result: unknown, columns?: readonly string[]): string {
  if (Array.isArray(result)) return table(result as Row[], columns)
  if (typeof result !== 'object' || result === null) return String(result)
  return Object.entries(result).map(([name, value]) => `${name}: ${shown(value)}`).join('\n')
}

const shown = (value: unknown): string =>
  value === null || value === undefined ? ''
    : value instanceof Date ? value.toISOString()
    : typeof value === 'string' ? value : JSON.stringify(value)

function table(rows: readonly Row[], columns: readonly string[] = [...new Set(rows.flatMap((row) => Object.keys(row)))]): string {
  if (rows.length === 0) return 'There are none.'
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ').trimEnd()).join('\n')
}

/** Commands that the usage shows although they need no database of a running platform. */
const others = {
  migrate: { takes: '', does: 'Brings the database to the newest schema.' },
  backup: { takes: '<file>', does: 'One archive of database, kept files and development chain, also while everything runs; no key is in it.' },
  restore: { takes: '<file>', does: 'Fills an empty instance from a backup; its keys have to be there already.' },
  openapi: { takes: '[--check]', does: 'Writes openapi.json.' },
  help: { takes: '', does: 'Shows this.' },
}

/** Commands by their words, of which the first are these. */
export function described(commands: Record<string, Command | ReadingCommand>, first: string) {
  const all = Object.entries({ ...commands, ...others }).map(([command, { takes, does }]) => ({ command, takes, does }))
  return all.filter(({ command }) => `${command} `.startsWith(first === '' ? '' : `${first} `))
}

export function usage(list: ReturnType<typeof described>): string {
  const lines = list.map(({ command, takes, does }) => `${`  ${command} ${takes}`.trimEnd()}\n      ${does}`)
  return ['Usage: npm run --silent admin -- <command> [--json] [--help]', '', ...lines].join('\n')
}

/** A refusal for people, each violation once. */
export function refusalLines({ detail, errors = [] }: Problem): string {
  const isSaidBelow = errors.some(({ path, message }) => [message, `${path}: ${message}`].includes(detail))
  const first = isSaidBelow ? 'That is not valid:' : detail
  return [first, ...errors.map(({ path, message }) => `  ${path}: ${message}`), ''].join('\n')
}
