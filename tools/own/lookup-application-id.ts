import { foldCase, readApplications, type Application } from './applications.ts'
import type { ToolEntry } from '../catalogue/catalogue.ts'
import { findNearest } from '../arguments/nearest.ts'
import { createChoiceQuestion, type InputElicitor, type ElicitationRefusal } from './elicitation.ts'
import type { OwnTool } from './own-tool.ts'
import type { ToolResult } from '../results/results.ts'
import type { createValidatorCompiler } from '../catalogue/validators.ts'
import { showInvisible } from '../arguments/show-invisible.ts'

/** The highest number of applications that a person can choose from. */
const maxChoices = 20
const maxNearest = 5

type MatchKind = 'exact' | 'partial' | 'chosen'
type MissKind = 'several' | 'declined' | 'cancelled' | 'none'

const candidateSchema = {
  type: 'object',
  properties: { applicationId: { type: 'string', format: 'uuid' }, name: { type: 'string' } },
  required: ['applicationId', 'name'],
}

const entry: ToolEntry = {
  name: 'lookup_application_id',
  title: 'Look up the id of an application',
  description:
    'Finds one of your applications by name. Where several match, the user is asked, or they are listed for you to '
    + 'ask.',
  inputSchema: {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        maxLength: 200,
        pattern: '\\S',
        description: 'All or part of it, in any case.',
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      match: { enum: ['exact', 'partial', 'chosen', 'several', 'declined', 'cancelled', 'none'] },
      applicationId: candidateSchema.properties.applicationId,
      name: candidateSchema.properties.name,
      total: { type: 'integer', description: 'How many match.' },
      candidates: {
        type: 'array',
        items: candidateSchema,
        description: `Without applicationId: what matches, at most ${maxChoices}; for none the nearest names.`,
      },
    },
    required: ['match'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

/** @param path the path of the list of applications */
export function createLookupTool(path: string, compile: ReturnType<typeof createValidatorCompiler>): OwnTool {
  return {
    entry,
    validateArguments: compile(entry.name, entry.inputSchema),
    canElicit: true,
    callTool: async (args, readApi, elicitInput) =>
      findApplication(String(args['name']).trim(), await readApplications(readApi, path), elicitInput),
  }
}

async function findApplication(
  name: string,
  all: readonly Application[],
  elicitInput: InputElicitor | null,
): Promise<ToolResult> {
  const wanted = foldCase(name)
  const exact = all.filter((one) => foldCase(one.name) === wanted)
  const matches = exact.length > 0 ? exact : all.filter((one) => foldCase(one.name).includes(wanted))
  const [only] = matches
  if (only === undefined)
    return createNothingFoundResult(
      name,
      findNearest(all, wanted, (one) => foldCase(one.name), maxNearest),
    )
  if (matches.length === 1) return createHitResult(only, exact.length > 0 ? 'exact' : 'partial')
  return chooseApplication(name, matches, elicitInput)
}

async function chooseApplication(
  name: string,
  matches: readonly Application[],
  elicitInput: InputElicitor | null,
): Promise<ToolResult> {
  const listed = matches.slice(0, maxChoices)
  const rest = ` The first ${listed.length} are listed; a longer name finds the others.`
  const more = matches.length > listed.length ? rest : ''
  const matching = `${matches.length} applications match ${JSON.stringify(name)}.${more}`
  const createMiss = (match: MissKind, text: string) =>
    createMissResult(match, `${matching} ${text}`, listed, matches.length)
  const choices = listed.map((one) => ({ value: one.id, title: formatTitle(one) }))
  const question = createChoiceQuestion(showInvisible(`${matching} Which one is meant?`, false), 'Application', choices)
  const reply = elicitInput ? await elicitInput(question) : unableAnswer
  if (reply.action !== 'accept') return createMiss(...missTexts[reply.action])
  const chosen = listed.find((one) => one.id === reply.content['choice'])
  return chosen
    ? createHitResult(chosen, 'chosen')
    : createMiss('several', 'The answer was none of them. Ask the user again.')
}

const unableAnswer = { action: 'unable' } as const

const missTexts: Record<ElicitationRefusal, [MissKind, string]> = {
  decline: ['declined', 'The user was asked which one is meant and declined to say. Do not choose one yourself.'],
  cancel: ['cancelled', 'The user was asked which one is meant and gave no answer. Do not choose one yourself.'],
  unable: ['several', 'Ask the user which one is meant, then use its applicationId. Do not choose one yourself.'],
}

/** Formats the title of a choice. Two applications may have one name, but their slugs differ. */
const formatTitle = ({ id, name, slug }: Application) => showInvisible(`${name} (${slug ?? id})`, false)

const toCandidate = ({ id, name }: Application) => ({ applicationId: id, name })

function createHitResult(application: Application, match: MatchKind): ToolResult {
  const structuredContent = { ...toCandidate(application), match }
  return { content: [createJsonBlock(structuredContent)], structuredContent }
}

function createMissResult(
  match: MissKind,
  text: string,
  candidates: readonly Application[],
  total: number,
): ToolResult {
  const structuredContent = { match, total, candidates: candidates.map(toCandidate) }
  return {
    content: [{ type: 'text', text: showInvisible(text, false) }, createJsonBlock(structuredContent)],
    structuredContent,
  }
}

const createJsonBlock = (value: unknown) =>
  ({ type: 'text', text: showInvisible(JSON.stringify(value), true) }) as const

function createNothingFoundResult(name: string, near: readonly Application[]): ToolResult {
  const head = `None of your applications matches ${JSON.stringify(name)}.`
  const names = near.map((one) => JSON.stringify(one.name)).join(', ')
  const next = `The nearest names are ${names}. Ask the user whether one is meant.`
  return createMissResult('none', `${head} ${near.length === 0 ? 'No name is near it.' : next}`, near, 0)
}
