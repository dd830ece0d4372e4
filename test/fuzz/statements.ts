import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logStatements } from '../support/database/statement-log.ts'
import { platform } from '../support/platform.ts'
import { validCalls } from './calls.ts'
import type { ListFilters, FuzzTarget } from './document.ts'
import { injections, mark } from './generators/payloads.ts'
import { spellings } from './generators/filters.ts'
import type { Runner } from './runner.ts'

/** What PostgreSQL was told to do for the calls of one list. */
export interface Statements {
  operation: string
  calls: number
  /** Different texts that harmless values bring. */
  harmless: number
  /** Texts that only came with hostile values, and texts that hold such a value. */
  added: string[]
  marked: string[]
}

const log = () => join(platform.dataDir, 'logs/postgres.log')

/** The texts of the statements that were logged meanwhile, each once, without their values. */
async function during(work: () => Promise<unknown>): Promise<Set<string>> {
  const from = statSync(log()).size
  await work()
  await sleep(200)
  const written = readFileSync(log()).subarray(from).toString('utf8')
  const entries = written.split(/^(?=\d{4}-\d\d-\d\d )/m).filter((entry) => entry.includes('[tessera-server'))
  const texts = entries.map((entry) => /LOG: {2}(?:execute [^:]*|statement): ([\s\S]*)/.exec(entry)?.[1]?.trim() ?? '')
  return new Set(texts.filter((text) => text !== ''))
}

const tame: Record<string, string> = {
  gt: '2026-01-01T00:00:00Z',
  lt: '2026-01-01T00:00:00Z',
  gte: '2026-01-01T00:00:00Z',
  lte: '2026-01-01T00:00:00Z',
}
const id = '00000000-0000-4000-8000-000000000000'

/** A value that the pair takes. Where it wants an identifier, a text is refused and the identifier is not. */
const tameOf = ({ operator, words, field }: ListFilters['pairs'][number]): string =>
  words[0] ?? tame[operator] ?? (/(^|\.)id$|^product$/.test(field) ? id : 'harmless')

/** Sends every pair, every sorter and every spelling of each list with harmless values, then with hostile ones. */
export async function collectStatements(runner: Runner, lists: readonly FuzzTarget[]): Promise<Statements[]> {
  const endLog = await logStatements(platform)
  try {
    const idle = await during(() => sleep(forgotten))
    const found: Statements[] = []
    for (const target of lists) found.push(await compare(runner, target, idle))
    return found
  } finally {
    await endLog()
  }
}

/** Milliseconds after which the server has forgotten who a key belongs to, and has done all that it does by itself. */
const forgotten = 12_000

async function compare(runner: Runner, target: FuzzTarget, idle: ReadonlySet<string>): Promise<Statements> {
  const { list } = target
  if (!list) throw new Error(`${target.id} is no list`)
  const [call] = validCalls(target)
  const before = runner.tally.calls
  const send = async (query: string) => {
    if (call) await runner.send({ ...call, as: 'key', what: 'statements', path: `${call.path}?${query}` })
  }
  const all = async (valueOf: (pair: ListFilters['pairs'][number]) => string) => {
    for (const pair of list.pairs)
      for (const spell of Object.values(spellings)) await send(spell({ ...pair, value: valueOf(pair) }))
  }
  const harmless = await during(async () => {
    await all(tameOf)
    await sleep(forgotten)
    await send('')
  })
  const hostile = await during(async () => {
    // What writes does its work for each of them.
    for (const text of target.method === 'GET' ? injections : injections.slice(0, 4)) {
      await all(() => text)
      for (const sorter of list.sorters)
        await send(`sorters[0][field]=${sorter}&sorters[0][order]=${encodeURIComponent(text)}`)
      await send(`sorters[0][field]=${encodeURIComponent(text)}`)
      await send(`${encodeURIComponent(`filters[${text}][eq]`)}=a&filters[id][${encodeURIComponent(text)}]=a`)
    }
  })
  return {
    operation: target.id,
    calls: runner.tally.calls - before,
    harmless: harmless.size,
    added: [...hostile].filter((text) => !harmless.has(text) && !idle.has(text)),
    marked: [...hostile].filter((text) => text.includes(mark)),
  }
}
