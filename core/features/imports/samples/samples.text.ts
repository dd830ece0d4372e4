import { createProblem } from '../../../kernel/problem.ts'
import { openSource } from '../formats/index.ts'
import { InitError } from '../records/index.ts'
import { detectDialect } from '../staging/index.ts'
import { type FileSample, readSourceSample } from './samples.ts'

/**
 * Reads a sample that was sent: the first rows of a CSV file as text, or items of JSON.
 * @throws INVALID_REQUEST if no file could begin with the sample
 */
export async function readSentSample(sample: string | readonly unknown[]): Promise<FileSample> {
  const isText = typeof sample === 'string'
  const bytes = Buffer.from(isText ? sample : JSON.stringify(sample))
  const pieces = async function* () {
    yield bytes
  }
  try {
    const dialect = detectDialect(bytes, { format: isText ? 'csv' : 'json', encoding: 'utf-8' }, true)
    return await readSourceSample(await openSource(pieces, dialect, null))
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    throw createProblem('INVALID_REQUEST', `The sample cannot be read: ${cause.message}`, { path: 'sample', cause })
  }
}
