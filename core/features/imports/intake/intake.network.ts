import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'

/**
 * Refuses the network that a request names for its rows, if it cannot be used.
 * @param import.network undefined if the request names none
 * @throws VALIDATION_FAILED
 */
export async function assertImportNetwork(
  context: Context,
  {
    organization,
    network,
    sink,
  }: { organization: string; network: string | undefined; sink: Pick<RecordSink<never>, 'validateNetwork'> },
): Promise<void> {
  const issue = network === undefined ? undefined : await sink.validateNetwork(context, organization, network)
  if (issue) throw createValidationProblem([issue])
}
