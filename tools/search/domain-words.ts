/**
 * The words of the domain in English, French, German, Spanish and Italian, by meaning. Words of one row mean the same
 * when somebody looks for an operation; a word in two rows means both. A phrase wins over its single words. Upper and
 * lower case, accents, plurals and simple inflections need no entry of their own.
 */
export const domainWords: Readonly<Record<string, string>> = {
  // What operations are about.
  passport:
    'passport, dpp, digital product passport, product passport, passeport, passeport produit, pass, produktpass, '
    + 'pässe, produktpässe, pasaporte, pasaporte de producto, passaporto, passaporto di prodotto',
  sheet:
    'sheet, product sheet, product, template, fiche, fiche produit, produit, modèle de fiche, produkt, produktblatt, '
    + 'datenblatt, vorlage, producto, ficha, ficha de producto, plantilla, prodotto, scheda, scheda prodotto',
  application: 'application, app, anwendung, applikation, aplicación, applicazione',
  organization:
    'organization, organisation, company, tenant, entreprise, société, unternehmen, firma, organización, empresa, '
    + 'organizzazione, azienda',
  import:
    'import, importer, importation, importieren, einlesen, einspielen, importar, importación, importare, importazione',
  mapper: 'mapper, mappeur, abbildung, mapeador, mappatore, import profile, importprofil, perfil de importación',
  mapping:
    'mapping, map, column, columns, mappage, correspondance, colonne, zuordnung, zuordnen, spalte, spalten, mapeo, '
    + 'correspondencia, columna, mappatura, corrispondenza, colonna',
  file: 'file, csv, excel, xlsx, spreadsheet, table, fichier, tableur, tableau, datei, dateien, tabelle, archivo, fichero, hoja de cálculo, tabla, foglio, tabella',
  key: 'key, clé, clef, schlüssel, schlüsseln, clave, llave, chiave, signing key',
  credential:
    'credential, verifiable credential, vc, certificate, attestation, nachweis, zertifikat, credencial, certificado, '
    + 'credenziale, certificato, attestato, certificat',
  domain: 'domain, did:web, did web, website, domaine, domäne, dominio, webseite, sitio web, sito',
  token: 'token, magic token, magic link, link, jeton, lien, verweis, enlace, ficha mágica, collegamento, claim link',
  code: 'qr code, qr, code qr, qr-code, código qr, codice qr, barcode, strichcode',
  gtin: 'gtin, ean, article number, artikelnummer, numéro d article',
  job: 'job, task, background, progress, tâche, travail, progression, auftrag, aufgabe, fortschritt, tarea, trabajo, progreso, lavoro, attività, compito, avanzamento',
  event:
    'event, audit, log, activity, événement, évènement, journal, ereignis, ereignisse, protokoll, evento, registro, '
    + 'registro de actividad',
  history:
    'history, version, versions, past, historique, passé, verlauf, historie, geschichte, historial, historia, '
    + 'cronologia, storia, storico',
  owner:
    'owner, ownership, owns, holder, belongs, propriétaire, détenteur, appartient, eigentümer, besitzer, inhaber, '
    + 'gehört, propietario, dueño, titular, pertenece, proprietario, titolare, possessore, appartiene',
  readiness:
    'readiness, ready, missing, complete, completeness, lacks, gaps, prêt, manque, complétude, bereitschaft, bereit, '
    + 'fehlt, vollständig, vollständigkeit, fertig, falta, preparación, completo, pronto, manca, prontezza',
  anchor:
    'anchor, blockchain, chain, on-chain, ancrage, ancre, verankerung, anker, kette, anclaje, cadena, ancoraggio, '
    + 'ancora, catena',
  report: 'report, rapport, bericht, informe, reporte, rapporto, relazione, errors, erreurs, fehler, errores, errori',
  statistics:
    'stats, statistics, count, how many, number of, combien, compter, wie viele, wieviele, anzahl, zählen, statistik, '
    + 'cuántos, cuántas, contar, estadística, quanti, quante, contare, statistica, statistique',
  model: 'model, modèle, modell, modelo, modello',
  batch: 'batch, lot, los, charge, lote, lotto',
  item: 'item, unit, serial, article, piece, stück, exemplar, artikel, einzelstück, unidad, pieza, artículo, serie, unità, pezzo, articolo, exemplaire',
  form: 'form, opt-in, consent, document, pdf, formulaire, consentement, formular, einwilligung, formulario, consentimiento, modulo, consenso',
  shop: 'shop, store, ecommerce, shopify, boutique, magasin, laden, geschäft, onlineshop, tienda, comercio, negozio',
  wallet: 'wallet, agent wallet, portefeuille, brieftasche, geldbörse, cartera, billetera, monedero, portafoglio',
  intent: 'intent, payment, pay, paiement, payer, zahlung, zahlen, pago, pagar, pagamento, pagare, spend',
  account: 'account, member, customer, compte, client, konto, kunde, cuenta, cliente, conto, utente',
  points: 'points, loyalty, punkte, treue, treuepunkte, fidélité, puntos, fidelidad, punti, fedeltà',
  ledger:
    'ledger, statement, entries, relevé, écritures, kontoauszug, auszug, buchungen, extracto, movimientos, estratto conto, movimenti',
  campaign: 'campaign, message, newsletter, campagne, kampagne, campaña, campagna',
  reward: 'reward, tier, récompense, palier, prämie, belohnung, stufe, recompensa, nivel, premio, ricompensa, livello',
  pos: 'point of sale, points of sale, pos, point de vente, verkaufsstelle, kasse, punto de venta, punto vendita',
  fund: 'fund, invest, investment, fonds, investissement, fondo, inversión, investimento',
  offer: 'offer, offre, angebot, oferta, offerta',
  holding: 'holding, share, shares, part, anteil, anteile, participación, quota, quote, parts',
  identity: 'identity, kyc, investor, identité, identität, identidad, identità',
  billing:
    'billing, plan, invoice, subscription, facturation, abonnement, rechnung, abrechnung, factura, suscripción, fattura, abbonamento',
  limit: 'quota, usage, limit, limite, utilisation, verbrauch, nutzung, kontingent, cuota, uso, límite, utilizzo',
  metrics: 'metrics, dashboard, figures, métriques, kennzahlen, zahlen, métricas, metriche',
  issuer: 'issuer, émetteur, aussteller, emisor, emittente',
  // What operations do.
  list: 'list, all, every, search, lister, liste, tous, toutes, chercher, rechercher, auflisten, alle, suchen, suche, listar, todos, todas, buscar, elencare, elenca, elenco, tutti, tutte, cercare, cerca',
  get: 'get, read, show, see, view, open, display, details, lire, voir, afficher, montrer, anzeigen, zeigen, zeige, lesen, ansehen, ver, mostrar, leer, muestra, vedere, leggere, mostrare, mostra, leggi',
  create:
    'create, make, add, new, define, register, créer, crée, ajouter, nouveau, nouvelle, anlegen, erstellen, erstelle, erzeugen, hinzufügen, neu, neue, neuen, neues, crear, crea, añadir, nuevo, nueva, creare, aggiungere, nuovo, nuova',
  update:
    'update, change, edit, modify, rename, correct, patch, modifier, changer, renommer, corriger, ändern, ändere, bearbeiten, umbenennen, aktualisieren, korrigieren, cambiar, modificar, editar, actualizar, renombrar, corregir, modificare, cambiare, aggiornare, rinominare, correggere, modifica',
  delete:
    'delete, remove, erase, drop, supprimer, effacer, enlever, supprime, löschen, lösche, entfernen, borrar, eliminar, suprimir, borra, elimina, cancellare, eliminare, rimuovere, cancella',
  archive: 'archive, retire, archiver, archivieren, archivar, archiviare, archivia',
  publish:
    'publish, release, go live, publier, publie, publication, veröffentlichen, veröffentliche, freigeben, freischalten, publicar, publica, publicación, pubblicare, pubblica, pubblicazione',
  certify:
    'certify, certification, sign, seal, certifier, certifie, signer, zertifizieren, zertifiziere, zertifizierung, signieren, beglaubigen, certificar, certifica, certificación, firmar, certificare, certificazione, firmare',
  mint: 'mint, issue, mass produce, frapper, émettre, prägen, ausgeben, ausstellen, acuñar, emitir, coniare, emettere, many, credit, award, grant, give, créditer, attribuer, gutschreiben, vergeben, abonar, otorgar, accreditare, assegnare',
  burn: 'burn, debit, deduct, spend, take away, brûler, débiter, déduire, verbrennen, abziehen, abbuchen, quemar, restar, descontar, bruciare, scalare, detrarre',
  claim:
    'claim, take over, réclamer, revendiquer, beanspruchen, einlösen, reclamar, reivindicar, rivendicare, reclamare, riscattare, übernehmen',
  rotate:
    'rotate, renew, replace, rotation, tourner, renouveler, remplacer, rotieren, erneuern, tauschen, wechseln, austauschen, rotar, renovar, reemplazar, ruotare, rinnovare, sostituire',
  revoke:
    'revoke, revocation, recall, withdraw, invalidate, suspend, suspension, révoquer, rappeler, rappel, retirer, suspendre, '
    + 'widerrufen, zurückrufen, rückruf, sperren, aussetzen, revocar, retirar, suspender, anular, revocare, richiamare, richiamo, ritirare, sospendere',
  status: 'status, state, lift, statut, état, zustand, estado, stato',
  validate:
    'validate, valid, dry run, test, valider, valable, validieren, gültig, testen, validar, válido, probar, validare, valido, provare',
  verify:
    'verify, check, verification, genuine, authentic, vérifier, contrôler, authentique, prüfen, überprüfen, prüfe, echtheit, echt, verificar, comprobar, auténtico, verificare, controllare, autentico, verifica',
  preview:
    'preview, try, try out, simulate, aperçu, prévisualiser, essayer, vorschau, ausprobieren, vista previa, previsualizar, anteprima',
  suggest:
    'suggest, propose, recommend, suggérer, proposer, suggestion, vorschlagen, vorschlag, sugerir, proponer, sugerencia, suggerire, proporre, suggerimento',
  run: 'run, start, execute, fetch, exécuter, lancer, démarrer, ausführen, starten, ejecutar, iniciar, eseguire, avviare, running, en cours, laufend, laufende, en curso, in corso',
  upload:
    'upload, attach, téléverser, télécharger, joindre, hochladen, anhängen, subir, cargar, adjuntar, caricare, allegare',
  build: 'build, compose, assemble, construire, assembler, bauen, zusammenstellen, construir, costruire',
  contest: 'contest, dispute, contester, anfechten, bestreiten, impugnar, disputar, contestare',
  lookup:
    'look up, lookup, find, id of, trouver, finden, finde, nachschlagen, encontrar, trovare, trova, identifiant, kennung, identificador, identificativo',
  send: 'send, envoyer, senden, verschicken, enviar, inviare',
  schedule: 'schedule, plan, planifier, programmer, planen, programar, pianificare',
  cancel: 'cancel, stop, abort, annuler, arrêter, abbrechen, stoppen, cancelar, parar, annullare, fermare',
  freeze: 'freeze, geler, einfrieren, congelar, congelare',
  redeem: 'redeem, payout, rembourser, rückzahlung, reembolsar, rimborsare',
  distribute: 'distribute, distribuer, verteilen, distribuir, distribuire',
}

/**
 * Meanings of what is near to another one: who names a product may mean its passports, and a recall is a change of their
 * status.
 */
export const relatedMeanings: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    sheet: ['passport'],
    revoke: ['status'],
    batch: ['passport'],
    item: ['passport'],
    model: ['passport'],
  }),
)

/** Words that say nothing in the name of an operation, because most names have them. */
export const idleNameWords = 'dpp api'

/** Words that say nothing about an operation. */
export const idleWords =
  'a an the of for to in on my our your this that these those and or with by from as is are be it its i we you me do '
  + 'does how what which who whose want need please can could would has have having there if not no any some before after when one into at '
  + 'le la les l un une des du de d et ou pour par avec dans sur mon ma mes notre nos votre vos ce cette ces est sont je '
  + 'veux voudrais comment quel quelle quels qui que il elle a au aux se '
  + 'der die das den dem des ein eine einen einem einer eines und oder für mit von vom zu zum zur im in auf an mein meine '
  + 'meinen meiner unser unsere unseren ist sind ich möchte will wie welche welcher welches wer was bitte kann es nicht '
  + 'el los las una unos unas del al y o para por con en mi mis nuestro nuestra nuestros su sus es son está quiero '
  + 'cómo qué cuál quién lo se puedo '
  + 'il lo gli i uno della dello dei degli delle del dal e ed per con su nel nella mio mia miei nostro nostra sono è '
  + 'voglio come quale quali chi che si posso ai allo alla'
