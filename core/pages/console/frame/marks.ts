import { hash } from 'node:crypto'
import { createProblem } from '../../../kernel/problem.ts'

/** Computes the mark by which a form recognizes that what it shows has changed since it was made. */
export const computeMark = (content: unknown): string =>
  hash('sha256', JSON.stringify(content), 'base64url').slice(0, 27)

/**
 * Creates the check that nobody has changed what a form shows since it was made.
 * @param pick picks what the form shows of the representation
 */
export const createMarkCheck =
  <T>(mark: string, pick: (shown: T) => unknown) =>
  /** @throws PRECONDITION_FAILED */
  (shown: unknown): void => {
    if (computeMark(pick(shown as T)) === mark) return
    throw createProblem('PRECONDITION_FAILED', 'Somebody has changed this since the form was opened.')
  }
