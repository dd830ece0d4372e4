import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(import.meta.dirname, '../..')

/** What V8 writes; times in microseconds. Source: Chrome DevTools protocol, domain Profiler. */
interface Profile {
  startTime: number
  nodes: { id: number; callFrame: Frame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

interface Frame {
  functionName: string
  url: string
  lineNumber: number
}

/** Names a frame by what called it, the nearest first. */
type Naming = (frame: Frame, callers: readonly Frame[]) => string

/** Where a process left its profile. */
interface Place {
  name: string
  folder: string
  pid: number | undefined
}

interface Span {
  from: number
  to: number
}

/** The clock of profiles, which is the same in all processes of a machine. */
export const microseconds = () => Number(process.hrtime.bigint() / 1000n)

const idle = new Set(['(idle)', '(root)'])

/**
 * Prints where a process spent its time: by package, by function, and by functions of ours with what they call in
 * packages. @param time what counts, as `microseconds` tells it
 */
export async function printProfile({ name, folder, pid }: Place, time: Span): Promise<void> {
  const files = (await readdir(folder)).filter(
    (file) => file.endsWith('.cpuprofile') && file.split('.')[3] === `${pid}`,
  )
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const text = texts.sort((a, b) => b.length - a.length)[0]
  if (text === undefined) throw new Error(`${name} left no profile in ${folder}`)
  const profile = JSON.parse(text) as Profile
  const print = (title: string, naming: Naming, count: number) => {
    const times = timesBy(profile, time, naming)
    const busy = [...times.values()].reduce((sum, time) => sum + time, 0)
    const rows = [...times].sort(([, a], [, b]) => b - a).slice(0, count)
    const lines = rows.map(([what, time]) => `${((time / busy) * 100).toFixed(1).padStart(5)} %  ${what}`)
    process.stdout.write(`\n${name}, ${(busy / 1e6).toFixed(1)} s busy in all: ${title}\n${lines.join('\n')}\n`)
  }
  print('own time by package', partOf, 14)
  print('own time by function', placeOf, 25)
  print('functions of ours, with what they call in packages', ownerOf, 25)
}

/** Microseconds by name, without those of waiting. */
function timesBy(
  { startTime, nodes, samples, timeDeltas }: Profile,
  { from, to }: Span,
  naming: Naming,
): Map<string, number> {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
  const names = new Map<number, string>()
  for (const { id, callFrame } of nodes) {
    if (idle.has(callFrame.functionName)) continue
    const callers: Frame[] = []
    for (let up = parents.get(id); up; up = parents.get(up.id)) callers.push(up.callFrame)
    names.set(id, naming(callFrame, callers))
  }
  const times = new Map<string, number>()
  let at = startTime
  samples.forEach((id, index) => {
    const delta = timeDeltas[index] ?? 0
    const name = names.get(id)
    at += delta
    if (at > from && at <= to && name !== undefined) times.set(name, (times.get(name) ?? 0) + delta)
  })
  return times
}

/** Modules of the older kind are known by their path already, compiled text by a name of its own. */
const pathOf = (url: string) => relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
const isOurs = ({ url }: Frame) => url.startsWith('file:') && !url.includes('/node_modules/')
const packageOf = ({ url }: Frame) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]

/** A package, a folder of ours, Node itself, or what V8 and the kernel do. */
function partOf(frame: Frame): string {
  const { url, functionName } = frame
  if (url === '') return functionName.startsWith('(') ? functionName : '(native: system calls, buffers, hashes, JSON)'
  if (url.startsWith('node:')) return 'node'
  const path = pathOf(url)
  return (
    packageOf(frame) ??
    path
      .split('/')
      .slice(0, path.startsWith('core/features/') ? 3 : 2)
      .join('/')
  )
}

function placeOf({ functionName, url, lineNumber }: Frame): string {
  if (url === '') return functionName
  const [, inside] = url.split('/node_modules/')
  const file = inside ?? (url.startsWith('node:') ? url : pathOf(url))
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`
}

/** The nearest function of ours that this was called for, else the nearest package, else Node. */
function ownerOf(frame: Frame, callers: readonly Frame[]): string {
  const stack = [frame, ...callers]
  const ours = stack.find(isOurs)
  if (ours) return placeOf(ours)
  const outside = stack.map(packageOf).find((name) => name !== undefined)
  return outside === undefined
    ? `node and V8 alone${frame.functionName.startsWith('(') ? `: ${frame.functionName}` : ''}`
    : `${outside} alone`
}
