import { createLog } from '../../../core/app/log.ts'

/** The wait is several times longer than the log buffers lines for. */
const waitMs = 700

const log = createLog('child', { logLevel: 'info', production: true })
// This is more than an unread pipe takes, so it is still being written when the next line comes.
log.info({ filler: 'x'.repeat(1_000_000) }, 'first')
log.info('last')
setTimeout(() => process.send?.('waits'), waitMs)
process.on('disconnect', () => process.exit())
