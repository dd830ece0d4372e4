import { join } from 'node:path'
import { findFreePort } from '../../../core/start/ports.ts'
import { runInEarlierCommit, readShortCommit } from '../../support/earlier-commit.ts'
import { createBridgeEnvironment, startBenchSetup, type BenchProcess, type BenchSetup } from '../bench-setup.ts'
import { computeMedian } from '../figures.ts'
import { loadSide, type HttpRequest, type LoadSide, type WeighedLoad } from '../load.ts'
import { createModernRequests, createSessionRequests, type McpCall } from '../mcp-requests.ts'
import { startPinnedProcess } from '../pinned-process.ts'

/** Turns of each bridge, and their seconds: short, so that other work on the machine comes upon both alike. */
const turnCount = Number(process.env['BENCH_TURNS'] ?? 20)
const turnSeconds = 2
const connections = 32

/** Starts the bridge of a checkout for the same API. */
async function startBridge(setup: BenchSetup, folder: string): Promise<BenchProcess> {
  const port = await findFreePort()
  const env = createBridgeEnvironment((await setup.api()).url, port)
  const entry = join(folder, 'bridge/server.ts')
  return { ...(await startPinnedProcess({ name: 'bridge', entry, env })), url: `http://127.0.0.1:${port}` }
}

/** Creates what is measured: for each name the requests to a bridge. */
async function createRows(setup: BenchSetup, { url }: BenchProcess): Promise<Record<string, HttpRequest[]>> {
  const { apiKey, published } = setup.facts
  const credential = { 'x-api-key': apiKey }
  const call: McpCall = {
    method: 'tools/call',
    query: '?read=tools',
    params: (id) => ({ name: 'get_dpp_passport', arguments: { id: published[id % published.length] ?? '' } }),
  }
  const list: McpCall = { method: 'tools/list', params: () => ({}) }
  const [modern, session] = [createModernRequests(credential), await createSessionRequests(url, credential)]
  return {
    'tools/call, 2026-07-28': modern(call),
    'tools/call, 2025-06-18': session(call),
    'tools/list, 2026-07-28': modern(list),
    'tools/list, 2025-06-18': session(list),
  }
}

/** Measures both bridges in turns, each first in every other pair. @returns the line about a row */
async function compareRow(
  name: string,
  sides: readonly [earlier: LoadSide, now: LoadSide],
  folder: string,
): Promise<string> {
  const runTurn = (side: LoadSide) => loadSide(side, { connections, seconds: turnSeconds }, folder)
  for (const side of sides) await runTurn(side)
  const pairs: [WeighedLoad, WeighedLoad][] = []
  for (let turn = 0; turn < turnCount; turn++) {
    const order = turn % 2 === 0 ? sides : sides.toReversed()
    const turns = new Map<LoadSide, WeighedLoad>()
    for (const side of order) turns.set(side, await runTurn(side))
    pairs.push([turns.get(sides[0])!, turns.get(sides[1])!])
  }
  const middle = (read: (pair: [WeighedLoad, WeighedLoad]) => number) => computeMedian(pairs.map(read))
  return (
    `${name}: before ${Math.round(middle(([one]) => one.perSecond))}, now ${Math.round(middle(([, two]) => two.perSecond))} requests/s; `
    + `now / before ${middle(([one, two]) => two.perSecond / one.perSecond).toFixed(3)}; processor time a request `
    + `${middle(([one]) => one.spent).toFixed(0)} µs before, ${middle(([, two]) => two.spent).toFixed(0)} µs now, `
    + `now / before ${middle(([one, two]) => two.spent / one.spent).toFixed(3)} (middle of ${pairs.length} pairs)\n`
  )
}

/**
 * `npm run bench:bridge -- <commit> [<beginning of a row> ...]`: compares the bridge of an earlier commit with that of
 * this one. Both run at the same time for one API, and are loaded in turns of two seconds.
 */
async function compareBridges([commit, ...wanted]: string[]): Promise<void> {
  if (commit === undefined) throw new Error('Which commit?')
  await runInEarlierCommit(commit, async (folder) => {
    const setup = await startBenchSetup({ quick: true, profile: false })
    try {
      const earlier = await startBridge(setup, folder)
      const now = await startBridge(setup, join(import.meta.dirname, '../../..'))
      const [before, today] = [await createRows(setup, earlier), await createRows(setup, now)]
      process.stdout.write(
        `The bridge of ${readShortCommit(commit)}, and that of ${readShortCommit('HEAD')} with changes\n`,
      )
      const isWanted = (name: string) => wanted.length === 0 || wanted.some((one) => name.startsWith(one))
      for (const [name, requests] of Object.entries(before).filter(([one]) => isWanted(one))) {
        const sides = [
          { ...earlier, requests },
          { ...now, requests: today[name] ?? [] },
        ] as const
        process.stdout.write(await compareRow(name, sides, setup.scratch))
      }
      await Promise.all([earlier.stop(), now.stop()])
    } finally {
      await setup.stop()
    }
  })
}

await compareBridges(process.argv.slice(2))
process.exit(0)
