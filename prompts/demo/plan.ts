/** Expected values by JSON pointer. Source: RFC 6901. */
export type Matches = Readonly<Record<string, unknown>>
/** Names under which values of an answer are kept, each with the JSON pointer of its value. */
export type Keep = Readonly<Record<string, string>>
export type Arguments = Readonly<Record<string, unknown>>

/** One reading: of a resource, or by a tool that only reads. */
export type Reading = { readonly read: string } | { readonly tool: string; readonly arguments: Arguments }

/** The reading that shows that a step is already done, and what is kept of it. `missing`: nothing is there any more. */
export type Unless = Reading &
  ({ readonly matches: Matches; readonly keep?: Keep } | { readonly missing: true })

/** What to do about a refusal with a certain code: another call, or nothing, because something stays. */
export interface Otherwise {
  readonly tool?: string
  readonly arguments?: Arguments
  readonly expect?: Matches
  readonly stays?: string
}

/** A call of a tool. `refused` is by the code of the problem; `until` is read again until it matches. */
export interface CallStep {
  readonly id: string
  readonly unless: Unless
  readonly tool: string
  readonly arguments: Arguments
  readonly expect: Matches
  readonly keep?: Keep
  readonly until?: { readonly read: string; readonly matches: Matches }
  readonly refused?: Readonly<Record<string, Otherwise>>
}

/** A read that has to match before the plan goes on. */
export interface ReadStep {
  readonly id: string
  readonly read: string
  readonly expect: Matches
  readonly keep?: Keep
}

export type Step = CallStep | ReadStep

/** A dry run names its calls and holds none. */
export type DryStep =
  | ReadStep
  | { readonly id: string; readonly unless: Unless; readonly would: Omit<CallStep, 'id' | 'unless'> }

/** Something that the teardown leaves, and the read that shows it. */
export interface Stay {
  readonly what: string
  readonly read: string
  readonly expect: Matches
}

/** What one scenario asks for. */
export interface Part {
  readonly steps: readonly Step[]
  readonly checks: readonly ReadStep[]
  /** In the order in which it is done. */
  readonly teardown: readonly Step[]
  readonly stays: readonly Stay[]
}

/** A scenario that is not planned, and the operations that the API would have to offer for it. */
export interface Unplanned {
  readonly scenario: string
  readonly missing: readonly string[]
}

export interface Plan {
  readonly runId: string
  readonly scenario: string
  readonly dryRun: boolean
  readonly unplanned: readonly Unplanned[]
  readonly steps: readonly (Step | DryStep)[]
  readonly checks: readonly ReadStep[]
  readonly teardown: readonly (Step | DryStep)[]
  readonly stays: readonly Stay[]
}

/** The place of a value that an earlier step kept. */
export const kept = (name: string) => `\${${name}}`

/** The step with its call put out of reach. */
export function dry(step: Step): DryStep {
  if (!('tool' in step)) return step
  const { id, unless, ...would } = step
  return { id, unless, would }
}

/** The address of a list with conditions, as `filters[<field>][eq]`; places of kept values stay as they are. */
export function filtered(list: string, conditions: Readonly<Record<string, string>>, pageSize?: number): string {
  const pairs = Object.entries(conditions).map(([field, value]) => `filters[${field}][eq]=${encoded(value)}`)
  return `${list}?${[...pairs, ...(pageSize === undefined ? [] : [`pageSize=${pageSize}`])].join('&')}`
}

const encoded = (value: string) => (/^\$\{\w+\}$/.test(value) ? value : encodeURIComponent(value))

/** The plan as JSON, one step a line, so that people can read it too. */
export function planText(plan: Plan): string {
  const members = Object.entries(plan).map(([name, value]) => {
    if (!Array.isArray(value) || value.length === 0) return `${JSON.stringify(name)}: ${JSON.stringify(value)}`
    const lines = value.map((one: unknown) => `  ${JSON.stringify(one)}`)
    return `${JSON.stringify(name)}: [\n${lines.join(',\n')}\n]`
  })
  return `{\n${members.join(',\n')}\n}`
}
