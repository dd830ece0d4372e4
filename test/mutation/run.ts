import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startDnsServer } from '../support/network/dns.ts'
import { removeStaleFolders } from '../support/folders.ts'
import { findReason } from './equivalents.ts'
import type { Mutant } from './mutants/instrument.ts'
import { MutantJudge, type Verdict } from './judge.ts'
import { Lane } from './lane.ts'
import { preparePlan } from './plan.ts'
import { ReachRecord } from './reach.ts'
import { formatReport, formatVerdict } from './report.ts'
import { takeSample } from './sample.ts'

const printLine = (line: string) => process.stdout.write(`${line}\n`)

/** What the command line says. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    sample: { type: 'string', default: '400' },
    lanes: { type: 'string', default: '2' },
    /** The run stops after so many minutes; the next one goes on. */
    minutes: { type: 'string', default: '60' },
    /** The beginning of the paths whose mutants count. */
    only: { type: 'string', multiple: true, default: [] },
    /** How long the tests of one mutant may take, in seconds; the quickest come first. */
    budget: { type: 'string', default: '10' },
    /** Judges the survivors of earlier runs once more, for example with a larger budget. */
    again: { type: 'boolean', default: false },
    /** Shows what is known, and runs nothing. */
    show: { type: 'boolean', default: false },
  },
})

/** The verdicts of this run and of those before it on the same sources. */
class VerdictRecord {
  readonly #file: string
  readonly byMutant = new Map<number, Verdict>()

  constructor(folder: string) {
    this.#file = join(folder, 'verdicts.jsonl')
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').filter(Boolean) : []
    for (const verdict of lines.map((line) => JSON.parse(line) as Verdict)) this.byMutant.set(verdict.id, verdict)
  }

  add(verdict: Verdict): void {
    appendFileSync(this.#file, `${JSON.stringify(verdict)}\n`)
    this.byMutant.set(verdict.id, verdict)
  }
}

const plan = preparePlan()
const wanted = plan.mutants.filter(
  ({ file }) => values.only.length === 0 || values.only.some((start) => file.startsWith(start)),
)
const describeMutant = ({ file, within, original, mutated, nth }: Mutant) =>
  [file, within, original, mutated, nth].join('\0')
const sample = takeSample(wanted, Number(values.sample), Number(values.seed), describeMutant)
const reach = new ReachRecord(plan.folder, plan.mutants)
const verdicts = new VerdictRecord(plan.folder)
const end = Date.now() + Number(values.minutes) * 60_000

const isOpen = ({ id }: Mutant) => {
  const known = verdicts.byMutant.get(id)
  return known === undefined || (values.again && known.outcome !== 'killed')
}
/** Those that running processes can take over come first, so that processes are rarely started anew. */
const listOpen = () =>
  sample
    .filter((mutant) => findReason(mutant) === undefined && isOpen(mutant))
    .sort((a, b) => Number(needsRestart(a)) - Number(needsRestart(b)))
const needsRestart = ({ id, isStatic }: Mutant) => isStatic || reach.startup.has(id)

async function runLane(
  lane: Lane,
  unknownFiles: string[],
  openMutants: Mutant[],
  mapping: Promise<void>[],
): Promise<void> {
  const record = async () => {
    await lane.start()
    await reach.recordStart(lane)
    for (let file = unknownFiles.shift(); file !== undefined && Date.now() < end; file = unknownFiles.shift()) {
      await reach.recordFile(lane, file)
      printLine(`${unknownFiles.length} left: ${file}`)
    }
  }
  mapping.push(record())
  await Promise.all(mapping)
  if (reach.listUnknown().length > 0) return
  if (openMutants.length === 0) openMutants.push(...listOpen())
  const judge = new MutantJudge(lane, reach, Number(values.budget) * 1_000)
  for (let mutant = openMutants.shift(); mutant && Date.now() < end; mutant = openMutants.shift()) {
    const verdict = await judge.judge(mutant)
    verdicts.add(verdict)
    printLine(`${openMutants.length} left: ${formatVerdict(mutant, verdict)}`)
  }
}

async function runLanes(): Promise<void> {
  await removeStaleFolders()
  const dns = await startDnsServer(join(plan.folder, 'dns'))
  const lanes = Array.from(
    { length: Number(values.lanes) },
    (_, at) => new Lane(join(plan.folder, `lane-${at}`), plan.codeFolder),
  )
  const unknownFiles = reach.listUnknown()
  const openMutants: Mutant[] = []
  const mapping: Promise<void>[] = []
  try {
    await Promise.all(lanes.map((lane) => runLane(lane, unknownFiles, openMutants, mapping)))
  } finally {
    await Promise.all(lanes.map((lane) => lane.stop()))
    dns.stop()
  }
}

if (!values.show && (listOpen().length > 0 || reach.listUnknown().length > 0)) await runLanes()
for (const line of formatReport({ all: plan.mutants, sample, seed: Number(values.seed) }, verdicts.byMutant, reach))
  printLine(line)
if (reach.listUnknown().length > 0 || listOpen().length > 0) printLine('Not all is done: run it again to go on')
process.exit(0)
