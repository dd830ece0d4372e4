import { expect } from 'chai'
import { v7 } from 'uuid'
import { runAdmin } from '../../../support/admin-command.ts'
import { platform } from '../../../support/platform.ts'
import { deleteMessagesAbout } from '../../../support/rows/queue/deleted-messages.ts'
import { insertMessages } from '../../../support/rows/queue/messages.ts'
import { getOperator } from '../../identity/people.ts'

const dayMs = 86_400_000

describe('admin cleanup', () => {
  it('removes what was kept for its days, beside the worker, and nothing else', async () => {
    const { db } = await getOperator()
    const subject = `cleanup-${v7()}`
    const [old, young] = await insertMessages(db, [
      { createdAt: new Date(Date.now() - 40 * dayMs), subject },
      { createdAt: new Date(), subject },
    ])
    const ran = await runAdmin(platform.dataDir, 'cleanup', '--json')
    expect(ran.code, ran.err).to.equal(0)
    expect(Object.keys(ran.json)).to.deep.equal(['seconds', 'bytes'])
    expect(ran.json['bytes']).to.be.above(1_000_000)
    expect(await deleteMessagesAbout(db, subject), `of ${old} and ${young}`).to.deep.equal([young])
  })
})
