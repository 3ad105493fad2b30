"""Places whose files become documents: folders, storages, sites, mailboxes."""
