import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(import.meta.dirname, '../..')

/** A profile as V8 writes it, with times in microseconds. Source: Chrome DevTools protocol, domain Profiler. */
interface Profile {
  startTime: number
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

/** Returns the name of a frame. `callers` are its callers, the nearest first. */
type FrameNaming = (frame: CallFrame, callers: readonly CallFrame[]) => string

/** The place where a process left its profile. */
interface ProfileLocation {
  name: string
  folder: string
  pid: number | undefined
}

interface TimeSpan {
  from: number
  to: number
}

/** Returns the time of the clock that profiles use, which is the same in all processes of a machine. */
export const getMicroseconds = () => Number(process.hrtime.bigint() / 1000n)

const idleFrames = new Set(['(idle)', '(root)'])

/**
 * Prints where a process spent its time: by package, by function, and by our functions including their calls of
 * packages.
 * @param time the time span that counts, in times of `getMicroseconds`
 */
export async function printProfile({ name, folder, pid }: ProfileLocation, time: TimeSpan): Promise<void> {
  const files = (await readdir(folder)).filter(
    (file) => file.endsWith('.cpuprofile') && file.split('.')[3] === `${pid}`,
  )
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const text = texts.sort((a, b) => b.length - a.length)[0]
  if (text === undefined) throw new Error(`${name} left no profile in ${folder}`)
  const profile = JSON.parse(text) as Profile
  const print = (title: string, naming: FrameNaming, count: number) => {
    const times = sumTimes(profile, time, naming)
    const busy = [...times.values()].reduce((sum, time) => sum + time, 0)
    const rows = [...times].sort(([, a], [, b]) => b - a).slice(0, count)
    const lines = rows.map(([what, time]) => `${((time / busy) * 100).toFixed(1).padStart(5)} %  ${what}`)
    process.stdout.write(`\n${name}, ${(busy / 1e6).toFixed(1)} s busy in all: ${title}\n${lines.join('\n')}\n`)
  }
  print('own time by package', getFramePart, 14)
  print('own time by function', formatFramePlace, 25)
  print('functions of ours, with what they call in packages', findFrameOwner, 25)
}

/** Sums up the microseconds by name, without idle time. */
function sumTimes(
  { startTime, nodes, samples, timeDeltas }: Profile,
  { from, to }: TimeSpan,
  naming: FrameNaming,
): Map<string, number> {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
  const names = new Map<number, string>()
  for (const { id, callFrame } of nodes) {
    if (idleFrames.has(callFrame.functionName)) continue
    const callers: CallFrame[] = []
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

/** Returns the path of a module. CommonJS modules already have a path; compiled text has a name of its own. */
const toPath = (url: string) => relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
const isOurs = ({ url }: CallFrame) => url.startsWith('file:') && !url.includes('/node_modules/')
const parsePackageName = ({ url }: CallFrame) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]

/** Returns the part that a frame belongs to: a package, a folder of ours, Node, or V8 and the kernel. */
function getFramePart(frame: CallFrame): string {
  const { url, functionName } = frame
  if (url === '') return functionName.startsWith('(') ? functionName : '(native: system calls, buffers, hashes, JSON)'
  if (url.startsWith('node:')) return 'node'
  const path = toPath(url)
  return (
    parsePackageName(frame)
    ?? path
      .split('/')
      .slice(0, path.startsWith('core/features/') ? 3 : 2)
      .join('/')
  )
}

function formatFramePlace({ functionName, url, lineNumber }: CallFrame): string {
  if (url === '') return functionName
  const [, inside] = url.split('/node_modules/')
  const file = inside ?? (url.startsWith('node:') ? url : toPath(url))
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`
}

/** Returns the nearest function of ours in the stack, otherwise the nearest package, otherwise Node. */
function findFrameOwner(frame: CallFrame, callers: readonly CallFrame[]): string {
  const stack = [frame, ...callers]
  const ours = stack.find(isOurs)
  if (ours) return formatFramePlace(ours)
  const outside = stack.map(parsePackageName).find((name) => name !== undefined)
  return outside === undefined
    ? `node and V8 alone${frame.functionName.startsWith('(') ? `: ${frame.functionName}` : ''}`
    : `${outside} alone`
}
