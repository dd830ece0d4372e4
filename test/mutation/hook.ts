import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, threadId } from 'node:worker_threads'

/**
 * Is loaded into every process under test before anything else (`--import`). It replaces the modules of the product by
 * those with the mutants, and asks a file several times a second which mutant is active.
 */
const parameters = new URL(import.meta.url).searchParams
const [codeFolder, switchFolder] = [parameters.get('code') ?? '', parameters.get('switch') ?? '']
const root = join(import.meta.dirname, '../..')
const name = isMainThread ? `${process.pid}` : `${process.pid}.${threadId}`
const intervalMs = 20

let active = 0
let epoch = ''
let isRecording = false
const reachedMutants = new Set<number>()
const newMutants: number[] = []

registerHooks({
  load(url, context, nextLoad) {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '..'
    const changed = join(codeFolder, file)
    if (!file.startsWith('core/') || !existsSync(changed)) return nextLoad(url, context)
    return { format: 'module-typescript', source: readFileSync(changed, 'utf8'), shortCircuit: true }
  },
})

Object.assign(globalThis, {
  __isActiveMutant: (id: number) => {
    if (isRecording && !reachedMutants.has(id)) {
      reachedMutants.add(id)
      newMutants.push(id)
    }
    return id === active
  },
})

function writeReached(): void {
  if (newMutants.length > 0)
    appendFileSync(join(switchFolder, `reached.${epoch}`), `${newMutants.splice(0).join('\n')}\n`)
}

/** Reads which mutant is active now, and confirms it. */
function readSwitch(): void {
  writeReached()
  const [nextEpoch = '', nextActive = '0', recording] = readFileSync(join(switchFolder, 'active'), 'utf8').split(' ')
  if (nextEpoch === epoch) return
  epoch = nextEpoch
  active = Number(nextActive)
  isRecording = recording === 'record'
  reachedMutants.clear()
  writeFileSync(join(switchFolder, `process.${name}`), epoch)
}

readSwitch()
setInterval(readSwitch, intervalMs).unref()
process.on('exit', writeReached)
