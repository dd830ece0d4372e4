import { limitProblem, type Problem } from '../../../tools/results/problems.ts'
import { cutShownText } from '../../../tools/results/text-parts.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { EraDialect } from './method-call.ts'

/** Creates the era's error for a read that the API refused. @param uri the resource that was read */
export function createRefusalError(
  problem: Problem,
  { notFound, getRefusalCode }: Pick<EraDialect, 'notFound' | 'getRefusalCode'>,
  uri?: string,
): ProtocolError {
  const message = cutShownText(`${problem.status} ${problem.code ?? problem.title}: ${problem.detail}`, false).text
  const data = limitProblem(problem)
  if (problem.status === 404) return new ProtocolError(notFound, message, { uri, ...data })
  if (problem.status === 400 || problem.status === 422) return new ProtocolError(codes.invalidParams, message, data)
  return new ProtocolError(problem.status >= 500 ? codes.internal : getRefusalCode(problem.status), message, data)
}
