import { pino } from 'pino'
import { startSenders } from '../../../core/chains/senders.ts'
import { noticesOf } from '../../../core/database/notices.ts'
import { armFault } from '../../../core/kernel/fault.ts'
import { runProcess } from '../../../core/kernel/process.ts'
import { demand, readSettings } from '../../../core/settings.ts'
import { takers } from '../settlements.ts'

// Senders alone in a process, so that a test can end it at any point.
runProcess('sender', async () => {
  const settings = demand(readSettings(), 'databaseUrl')
  armFault(settings.faultPoint)
  const log = pino({ level: settings.logLevel }, pino.destination({ fd: 2, sync: true }))
  const notices = noticesOf({ url: settings.databaseUrl, log })
  const senders = startSenders({ settings, notices, log }, takers)
  return {
    async stop() {
      await senders.stop()
      await notices.close()
    },
  }
})
