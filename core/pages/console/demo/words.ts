import type { CallOutcome } from '../../../features/demo/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { english } from './words.en.ts'
import { french } from './words.fr.ts'

/** The texts of the pages of demo environments. */
export interface DemoWords {
  title: string
  intro: string
  assistantText: string
  create: string
  scenario: string
  scenarios: Record<'passport' | 'loyalty' | 'invest' | 'full', string>
  /** @param missing names of scenarios */
  without: (missing: string) => string
  application: string
  ownApplication: string
  size: string
  sizeUse: (min: number, max: number) => string
  network: string
  start: string
  noNetwork: string
  running: string
  lookAtIt: string
  runs: string
  noRuns: string
  begun: string
  state: string
  states: Record<'prepare' | 'remove', Record<'running' | 'done' | 'failed', string>>
  faults: Record<string, string>
  all: string
  runTitle: (name: string) => string
  about: string
  progress: string
  progressCount: (done: string, total: string) => string
  goesOn: string
  step: string
  call: string
  answer: string
  result: string
  noCall: string
  outcomes: Record<CallOutcome, string>
  calls: Record<'prepare' | 'remove', string>
  stays: string
  nothingStays: string
  again: string
  goOn: string
  remove: string
  removeTitle: (name: string) => string
  removeConsequences: readonly string[]
  issues: Record<string, string>
}

/** The texts of the pages of demo environments in each language. */
export const demoWords: Record<ConsoleLanguage, DemoWords> = { en: english, fr: french }
