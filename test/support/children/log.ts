import { createLog } from '../../../core/log.ts'

/** Longer than the log gathers lines for, several times over. */
const milliseconds = 700

const log = createLog('child', { logLevel: 'info', production: true })
// More than a pipe takes that nobody reads: it is being written when the next line comes.
log.info({ filler: 'x'.repeat(1_000_000) }, 'first')
log.info('last')
setTimeout(() => process.send?.('waits'), milliseconds)
process.on('disconnect', () => process.exit())
