"""Words of titles in other languages than English that name no thing: parts of a book, kinds of texts, months.

Used for the names of pages (``pages``); data. Only what no page about a thing is called.
"""

from __future__ import annotations

GENERIC = frozenset(
    (
        "anhang anmerkungen ansprechpartner changelog danksagung einführung einleitung fazit glossar hinweise impressum"
        " inhalt inhaltsverzeichnis kapitel kontakt literatur literaturverzeichnis quellen register startseite tagebuch"
        " übersicht überblick verzeichnis vorlage vorwort zusammenfassung"
        " accueil annexe annexes avant-propos bibliographie conclusions glossaire introductions préface remerciements"
        " résumé sommaire"
        " apéndice bibliografía conclusión conclusiones glosario índice inicio introducción plantilla prefacio prólogo"
        " resumen"
        " anmerkung beispiel beispiele aufgaben übungen exemple exemples exercices ejemplo ejemplos ejercicios"
        " esempi esempio esercizi esercizio definizione definizioni exemplo exemplos exercícios voorbeeld voorbeelden"
        " exempel пример примеры упражнения определение 例 示例 예제"
        " appendice bibliografia conclusione conclusioni indice introduzione prefazione riassunto ringraziamenti"
        " apêndice conclusão conclusões índice introdução prefácio resumo"
        " bijlage inhoud inhoudsopgave inleiding literatuurlijst samenvatting voorwoord"
        " bilaga förord inledning innehåll källor sammanfattning"
        " введение вступление заключение заметки оглавление предисловие приложение содержание указатель"
        " はじめに おわりに まとめ もくじ 目次 概要 付録 索引 序文 参考文献"
        " 目录 目錄 简介 簡介 前言 附录 附錄 概述 总结 總結 引言 结论 結論 参考资料"
        " 머리말 목차 서론 결론 부록 요약 개요"
    ).split()
)
"""Titles that say where in a book a page stands."""
TEXTS = frozenset(
    (
        "bericht besprechung notiz notizen niederschrift protokoll rundschreiben sitzung tagesordnung wochenbericht"
        " bulletin compte-rendu communiqué procès-verbal rapport réunion"
        " acta boletín informe reunión"
        " bollettino relazione riunione verbale"
        " ata relatório reunião"
        " notulen vergadering verslag"
        " mötesprotokoll protokollet rapporten sammanträde"
        " доклад заседание отчет отчёт протокол совещание"
    ).split()
)
"""With a date or a number beside them they name one text of many."""
MONTHS = frozenset(
    (
        "januar februar märz april mai juni juli august september oktober november dezember"
        " janvier février avril juin juillet août septembre octobre novembre décembre"
        " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
        " gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre"
        " janeiro fevereiro março maio junho julho setembro outubro novembro dezembro"
        " januari februari maart mei augustus oktober december januarius maj augusti"
        " января февраля марта апреля мая июня июля августа сентября октября ноября декабря"
    ).split()
)
"""Months, but for those that are a thing too (the French *mars*)."""
