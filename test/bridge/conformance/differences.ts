import type { Check, ScenarioChecks } from './run.ts'

/** A scenario that cannot pass, and why. */
export interface KnownFailure {
  readonly scenario: string
  /** What the bridge does not do. */
  readonly reason: string
  /** Every check of it that fails, by id, and what it says. */
  readonly checks: Readonly<Record<string, RegExp>>
}

/** A warning counts as a failure, as in the suite's own list of expected failures. */
export const isFailed = ({ status }: Check) => status === 'FAILURE' || status === 'WARNING'

export const hasPassed = (checks: readonly Check[] | undefined) =>
  checks !== undefined && !checks.some(isFailed) && checks.some(({ status }) => status === 'SUCCESS')

/** Everything that is otherwise than the list of misses says, one line each. */
export function listDifferences(
  findings: ScenarioChecks,
  required: readonly string[],
  misses: readonly KnownFailure[],
): string[] {
  const strangers = misses.filter(({ scenario }) => !required.includes(scenario))
  return [
    ...strangers.map(({ scenario }) => `${scenario} is listed as a miss and is not asked for`),
    ...required.flatMap((scenario) =>
      differencesOf(
        scenario,
        findings.get(scenario),
        misses.find((one) => one.scenario === scenario),
      ),
    ),
  ]
}

function differencesOf(
  scenario: string,
  checks: readonly Check[] | undefined,
  miss: KnownFailure | undefined,
): string[] {
  if (checks === undefined) return [`${scenario} did not run`]
  if (!miss) {
    if (hasPassed(checks)) return []
    const wrong = checks.filter(isFailed).map((check) => `${scenario}: ${formatCheck(check)}`)
    return wrong.length > 0 ? wrong : [`${scenario} checked nothing`]
  }
  if (hasPassed(checks)) return [`${scenario} is listed as a miss and passes`]
  const other = checks
    .filter((check) => isFailed(check) && !miss.checks[check.id]?.test(check.errorMessage ?? ''))
    .map((check) => `${scenario} fails for another reason: ${formatCheck(check)}`)
  const absent = Object.keys(miss.checks)
    .filter((id) => !checks.some((check) => check.id === id && isFailed(check)))
    .map((id) => `${scenario} is listed to fail in ${id} and does not`)
  return [...other, ...absent]
}

const formatCheck = ({ id, status, errorMessage }: Check) => `${status} ${id}: ${errorMessage ?? 'no message'}`
