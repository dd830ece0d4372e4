import type { OwningWords } from '../passing-on.types.ts'
import { claiming } from './claim.ts'

export const owning: OwningWords = {
  action: 'Das gehört mir',
  head: 'Nach diesem Pass fragen',
  text: (brand) =>
    `${brand} hat diese Adresse für den Gegenstand nicht genannt. Gehört er Ihnen, dann fragen Sie: Jemand sieht es sich an und antwortet Ihnen mit einer Nachricht.`,
  field: 'Wie haben Sie ihn bekommen?',
  fieldUse: (brand) => `Zum Beispiel, wo und wann Sie ihn gekauft haben. ${brand} sieht es mit Ihrer Adresse.`,
  button: 'Danach fragen',
  tooMany: 'In kurzer Zeit sind zu viele Fragen gekommen. Bitte versuchen Sie es später wieder.',
  sent: {
    head: 'Sie haben gefragt',
    text: (brand) => `${brand} sieht es sich an. Wenn die Antwort Ja ist, bekommen Sie eine Nachricht mit einem Link.`,
  },
  message: {
    approved: {
      subject: (product) => `${product} kann Ihnen gehören`,
      mail: (product, brand, address) => [
        `${brand} bestätigt, dass ${product} Ihnen gehört.`,
        { label: claiming.button, address },
        'Öffnen Sie den Link und melden Sie sich an, um es zu übernehmen. Er geht einmal; behalten Sie ihn für sich.',
      ],
      text: (product, brand, address) => `${product} (${brand}) kann Ihnen gehören: ${address}`,
    },
    declined: {
      subject: (product) => `Zu ${product}`,
      mail: (product, brand) => [
        `Sie haben ${brand} nach dem Pass von ${product} gefragt. Es ließ sich nicht bestätigen, dass es Ihnen gehört. Wenn Sie das für falsch halten, schreiben Sie dorthin, mit Ihrem Beleg.`,
      ],
      text: (product, brand) => `${brand} konnte nicht bestätigen, dass ${product} Ihnen gehört.`,
    },
  },
}
