import { pino } from 'pino'
import { startSenders, type SendersOptions } from '../../../core/chains/engine/senders.ts'
import { createNotices } from '../../../core/database/notices.ts'
import { armFaultPoint } from '../../../core/kernel/process/fault-points.ts'
import { runProcess } from '../../../core/kernel/process/process.ts'
import { assertSettings, readSettings } from '../../../core/app/settings.ts'
import { outcomeTakers } from '../chains/settlements.ts'

/** Runs senders alone in this process, so that a test can end it at any point. */
export function runSenders(served: Pick<SendersOptions, 'families' | 'signer'> = {}): void {
  runProcess('sender', async () => {
    const settings = assertSettings(readSettings(), 'databaseUrl')
    armFaultPoint(settings.faultPoint)
    const log = pino({ level: settings.logLevel }, pino.destination({ fd: 2, sync: true }))
    const notices = createNotices({ url: settings.databaseUrl, log })
    const senders = startSenders({ settings, notices, log, ...served }, outcomeTakers)
    return {
      async stop() {
        await senders.stop()
        await notices.close()
      },
    }
  })
}
