// Pages that are files have no search; `kgfs web` serves another script by this name, which has.
