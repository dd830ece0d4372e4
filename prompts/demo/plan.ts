/** The expected values by JSON pointer. Source: RFC 6901. */
export type ExpectedValues = Readonly<Record<string, unknown>>
/** The names under which values of an answer are kept, each with the JSON pointer of its value. */
export type KeptPointers = Readonly<Record<string, string>>
export type Arguments = Readonly<Record<string, unknown>>

/** One read: of a resource, or with a tool that only reads. */
export type PlanRead = { readonly read: string } | { readonly tool: string; readonly arguments: Arguments }

/**
 * The read that shows that a step is already done, and the values to keep from it. `missing`: the thing no longer
 * exists; `present`: there is a value at each of the pointers, whatever it is.
 */
export type DoneCondition = PlanRead
  & (
    | { readonly matches: ExpectedValues; readonly keep?: KeptPointers }
    | { readonly present: readonly string[] }
    | { readonly missing: true }
  )

/** What to do when a call is refused with a certain code: make another call, or nothing, because something stays. */
export interface RefusalHandling {
  readonly tool?: string
  readonly arguments?: Arguments
  readonly expect?: ExpectedValues
  readonly stays?: string
}

/** A call of a tool. `refused` has one entry per problem code; `until` is read again until it matches. */
export interface CallStep {
  readonly id: string
  readonly unless: DoneCondition
  readonly tool: string
  readonly arguments: Arguments
  readonly expect: ExpectedValues
  readonly keep?: KeptPointers
  readonly until?: { readonly read: string; readonly matches: ExpectedValues }
  readonly refused?: Readonly<Record<string, RefusalHandling>>
}

/** A read that must match before the plan continues. What `keepIfThere` names is kept where the answer has it. */
export interface ReadStep {
  readonly id: string
  readonly read: string
  readonly expect: ExpectedValues
  readonly keep?: KeptPointers
  readonly keepIfThere?: KeptPointers
}

export type Step = CallStep | ReadStep

/** A step of a dry run. It describes its call under `would`, so that no call is made. */
export type DryStep =
  ReadStep | { readonly id: string; readonly unless: DoneCondition; readonly would: Omit<CallStep, 'id' | 'unless'> }

/** Something that remains after the teardown, and the read that shows it. */
export interface LeftoverEntry {
  readonly what: string
  readonly read: string
  readonly expect: ExpectedValues
}

/** The part of a plan that one scenario needs. */
export interface PlanPart {
  readonly steps: readonly Step[]
  readonly checks: readonly ReadStep[]
  /** The steps in the order in which they are run. */
  readonly teardown: readonly Step[]
  readonly stays: readonly LeftoverEntry[]
}

/** A scenario without a plan, and the operations that the API lacks for it. */
export interface UnplannedScenario {
  readonly scenario: string
  readonly missing: readonly string[]
}

export interface Plan {
  readonly runId: string
  readonly scenario: string
  readonly dryRun: boolean
  readonly unplanned: readonly UnplannedScenario[]
  readonly steps: readonly (Step | DryStep)[]
  readonly checks: readonly ReadStep[]
  readonly teardown: readonly (Step | DryStep)[]
  readonly stays: readonly LeftoverEntry[]
}

/** Formats the placeholder of a value that an earlier step kept. */
export const formatPlaceholder = (name: string) => `\${${name}}`

/** Converts a step to a step of a dry run. */
export function toDryStep(step: Step): DryStep {
  if (!('tool' in step)) return step
  const { id, unless, ...would } = step
  return { id, unless, would }
}

/** Formats the address of a list with conditions as `filters[<field>][eq]`. Placeholders are not encoded. */
export function formatListAddress(
  list: string,
  conditions: Readonly<Record<string, string>>,
  pageSize?: number,
): string {
  const pairs = Object.entries(conditions).map(([field, value]) => `filters[${field}][eq]=${encodeCondition(value)}`)
  return `${list}?${[...pairs, ...(pageSize === undefined ? [] : [`pageSize=${pageSize}`])].join('&')}`
}

const encodeCondition = (value: string) => (/^\$\{\w+\}$/.test(value) ? value : encodeURIComponent(value))

/** Formats the plan as JSON with one step per line, so that people can read it too. */
export function formatPlan(plan: Plan): string {
  const members = Object.entries(plan).map(([name, value]) => {
    if (!Array.isArray(value) || value.length === 0) return `${JSON.stringify(name)}: ${JSON.stringify(value)}`
    const lines = value.map((one: unknown) => `  ${JSON.stringify(one)}`)
    return `${JSON.stringify(name)}: [\n${lines.join(',\n')}\n]`
  })
  return `{\n${members.join(',\n')}\n}`
}
