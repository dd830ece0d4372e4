import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { passportSink } from '../../dpp/index.ts'

/**
 * What imports write to. This is the only file of imports that knows passports: another kind of record needs another
 * sink, and a way for requests to choose one.
 */
export const recordSink: RecordSink = passportSink
