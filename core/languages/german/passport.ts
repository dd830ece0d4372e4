import type { PassportWords } from '../words.types.ts'
import { format } from './numerals.ts'

export const passport: PassportWords = {
  title: (name) => `${name}: digitaler Produktpass`,
  status: {
    published: 'Veröffentlicht',
    claimed: 'Vom Eigentümer übernommen',
    archived: 'Archiviert: wird nicht mehr gepflegt',
  },
  standing: {
    verified: {
      head: 'Zertifiziert und geprüft',
      text: () =>
        'Unser Server hat das Zertifikat gerade geprüft: Signatur, Schlüssel, Status und Eintrag auf der Blockchain '
        + 'sind in Ordnung.',
    },
    failed: {
      head: 'Zertifiziert, aber Prüfung nicht bestanden',
      text: () =>
        'Verlassen Sie sich nicht auf das Zertifikat. Unser Server hat es gerade geprüft, und Folgendes ist nicht in Ordnung:',
    },
    suspended: {
      head: 'Zertifikat ausgesetzt',
      text: () => 'Der Aussteller hat das Zertifikat ausgesetzt. Verlassen Sie sich bis auf Weiteres nicht darauf.',
    },
    revoked: {
      head: 'Zertifikat widerrufen',
      text: () => 'Der Aussteller hat das Zertifikat endgültig zurückgezogen. Verlassen Sie sich nicht darauf.',
    },
    none: {
      head: 'Nicht zertifiziert',
      text: (organization) => `Hier ist nichts zertifiziert: Es sind Angaben von ${organization}.`,
    },
    pending: {
      head: 'Zertifizierung läuft',
      text: (organization) => `Hier ist noch nichts zertifiziert: Es sind Angaben von ${organization}.`,
    },
    unreachable: {
      head: 'Zertifiziert, aber nicht geprüft',
      text: () =>
        'Das Zertifikat ist zurzeit nicht erreichbar und konnte deshalb nicht geprüft werden. Versuchen Sie es später noch einmal.',
    },
    unknown: {
      head: 'Zertifiziert, aber zurzeit nicht zu beurteilen',
      text: () =>
        'Nichts spricht gegen das Zertifikat, doch es konnte zurzeit nicht vollständig geprüft werden. Versuchen Sie es später noch einmal.',
    },
    archived: {
      head: 'Nicht mehr zertifiziert',
      text: () =>
        'Dieser Produktpass war zertifiziert. Er ist jetzt archiviert, und sein Zertifikat wird nicht mehr bereitgestellt.',
    },
  },
  hostedOutOfReach:
    'Die Organisation bewahrt das Zertifikat selbst auf. Dort ist es nicht erreichbar, nicht mehr vorhanden oder nicht dasjenige, das zertifiziert wurde.',
  renewing: 'Seitdem hat sich etwas geändert: Eine neue Fassung wird gerade zertifiziert.',
  notInOrder: 'Nicht in Ordnung:',
  notChecked: 'Zurzeit nicht zu beurteilen:',
  checkedOn: (day) => `Geprüft am ${day}.`,
  whatWasChecked: 'Was geprüft wurde',
  checks: {
    proof: { good: 'Die Signatur passt zum Inhalt.', bad: 'Die Signatur passt nicht zum Inhalt.' },
    issuer: {
      good: 'Der Schlüssel gehört dem Aussteller.',
      bad: 'Der Aussteller lässt sich nicht bestätigen.',
    },
    key: { good: 'Der Schlüssel darf signieren.', bad: 'Der Schlüssel darf nicht oder nicht mehr signieren.' },
    status: {
      good: 'Es ist weder widerrufen noch ausgesetzt.',
      bad: 'Es ist widerrufen oder ausgesetzt, oder sein Status lässt sich nicht lesen.',
    },
    validity: { good: 'Es ist heute gültig.', bad: 'Es ist heute nicht gültig.' },
    anchor: {
      good: 'Sein Hashwert steht auf der Blockchain.',
      bad: 'Sein Hashwert steht nicht auf der Blockchain.',
    },
    schema: { good: 'Es ist nach UNTP vollständig.', bad: 'Es ist nach UNTP nicht vollständig.' },
  },
  mark: 'zertifiziert',
  issuer: 'Aussteller',
  byDomain: (domain) => `unter der Domain ${domain}`,
  withoutDomain: 'ein Schlüssel ohne Domain',
  keptBy: (organization) => `aufbewahrt von ${organization}`,
  certified: 'Zertifiziert am',
  credential: 'Zertifikat',
  withProof: 'mit seinem Nachweis (JSON-LD)',
  asToken: 'als Token (JWT)',
  receipt: 'Beleg',
  receiptLink: 'sein Beleg auf der Blockchain',
  yes: 'Ja',
  no: 'Nein',
  more: (count) => `${format(count)} weitere`,
  whole: 'Alles anzeigen',
  belongsTo: 'Gehört zu',
  parents: { model: 'Modell', batch: 'Charge' },
  claim: {
    head: 'Gehört es Ihnen?',
    text: 'Dieser Artikel hat noch keinen Eigentümer. Es gibt zwei Wege, ihn auf Ihren Namen eintragen zu lassen.',
    withLink: 'Ich habe einen Link',
    linkHead: 'Mit dem Link oder Code, der beilag',
    field: 'Ihr Link',
    button: 'Übernehmen',
    wrong: 'Mit diesem Link lässt sich nichts übernehmen. Kopieren Sie ihn vollständig, so wie Sie ihn erhalten haben.',
    without: {
      head: 'Ohne Link',
      text: (brand) =>
        `Melden Sie sich an. Kennt ${brand} Ihre Adresse oder Telefonnummer durch Ihren Kauf, gehört Ihnen der Artikel sofort. Wenn nicht, können Sie bei ${brand} nachfragen.`,
    },
  },
  onChain: 'Auf der Blockchain',
  passport: 'Produktpass',
  token: 'Token',
  network: 'Netzwerk',
  owner: 'Eigentümer',
  contract: 'Vertrag',
  minted: 'Erstellt',
  notYet: 'Noch nicht',
  history: 'Verlauf',
  historyLink: 'Der ganze Verlauf als Daten',
  events: { mint: 'Erstellt', claim: 'Übernommen', transfer: 'Weitergegeben' },
  from: 'von',
  to: 'an',
  transaction: 'Transaktion',
}
