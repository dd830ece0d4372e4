import type { Problem } from '../../tools/problems.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { Dialect } from './call.ts'

/** A read that the API refused, as the era says it. @param uri the resource that was read */
export function refusal(
  problem: Problem,
  { notFound, refused }: Pick<Dialect, 'notFound' | 'refused'>,
  uri?: string,
): ProtocolError {
  const message = `${problem.status} ${problem.code ?? problem.title}: ${problem.detail}`
  if (problem.status === 404) return new ProtocolError(notFound, message, { uri, ...problem })
  if (problem.status === 400 || problem.status === 422) return new ProtocolError(codes.invalidParams, message, problem)
  return new ProtocolError(problem.status >= 500 ? codes.internal : refused(problem.status), message, problem)
}
