"""What everybody knows and no text explains: software, techniques, practices and laws, and commands that start software.

Used by the types of names and by the readers of facts; data only. A handbook says ``deploy it to Kubernetes`` as
if everybody knew what that is, and the tagger takes *Prometheus* for a place. Only names that are no ordinary word are
here, and a few that are (``SHARED_WORDS``), which count where the document has others.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.names.wordlists.firms import FIRMS


def _listed(text: str) -> frozenset[str]:
    """The names of a list with bars between, on lines that are set in."""
    return frozenset(text.replace("\n", "").replace("    ", "").split("|"))


SYSTEMS = frozenset(
    "Windows Linux Unix macOS iOS Android Ubuntu Debian Fedora PowerShell Chrome Firefox Photoshop PowerPoint "
    "MacBook MacBooks iPhone iPhones iPad iPads Chromebook Chromebooks GitHub GitLab Bitbucket Jira Kubernetes Docker "
    "Jenkins CPython PyPy MySQL PostgreSQL SQLite MongoDB Elasticsearch Terraform Ansible WordPress Gmail "
    "Trello".split()
)
"""Words that make a longer name one of software, or of what it runs on."""
SOFTWARE = SYSTEMS | _listed(
    """
    .NET|.NET Core|.NET Framework|1Password|7-Zip|abapGit|Ableton Live|Active Directory|Active Record|ActiveMQ|ActiveRecord|AdGuard Home|Adminer|
    Adobe Acrobat|Adobe Experience Manager|Adobe Illustrator|Adobe InDesign|Adobe Photoshop|Adobe Premiere|After Effects|Airbyte|AirDrop|AirPlay|
    AirPods|Airtable|AKS|Alembic|Alertmanager|Algolia|AlmaLinux|AlphaFold|Alpine Linux|Amazon Athena|Amazon Aurora|Amazon CloudFront|
    Amazon CloudWatch|Amazon DynamoDB|Amazon EC2|Amazon Echo|Amazon ECR|Amazon ECS|Amazon EKS|Amazon Elastic Kubernetes Service|Amazon ElastiCache|
    Amazon Linux|Amazon RDS|Amazon Redshift|Amazon Route 53|Amazon S3|Amazon SageMaker|Amazon SES|Amazon SNS|Amazon SQS|Amazon Web Services|
    Android Auto|Android Open Source Project|Android Studio|Android TV|Angular|AngularJS|Ansible Tower|Apache ActiveMQ|Apache Airflow|Apache Arrow|
    Apache Beam|Apache Camel|Apache Cassandra|Apache CloudStack|Apache Druid|Apache Flink|Apache HBase|Apache Hive|Apache HTTP Server|Apache Hudi|
    Apache Iceberg|Apache Kafka|Apache Lucene|Apache Mesos|Apache NiFi|Apache Parquet|Apache Pinot|Apache Pulsar|Apache Solr|Apache Spark|
    Apache Superset|Apigee|AppDynamics|AppImage|Apple Pay|Apple TV|Apple Watch|AppVeyor|Appwrite|ArangoDB|ArcGIS|Arch Linux|Arduino|Argo CD|ArgoCD|
    Artifactory|Asana|AsciiDoctor|Asciidoctor|Asciinema|ASP.NET|ASP.NET Core|Auth0|AutoCAD|Autoconf|Automake|Autotools|AWS Fargate|AWS Lambda|AWX|
    Azure|Azure Active Directory|Azure AD|Azure Blob Storage|Azure Data Factory|Azure DevOps|Azure Functions|Azure Key Vault|
    Azure Kubernetes Service|Azure Pipelines|Azure SQL|Azure Storage|Backblaze B2|Backbone.js|BambooHR|Bandcamp|Baserow|Bazel|Berkeley DB|
    BigBlueButton|BigCommerce|BigQuery|Binance|Bing|Bioconductor|BitLocker|Bitwarden|BlueJeans|Bluesky|BoltDB|Booking.com|BorgBackup|BoringSSL|
    Brakeman|BreatheHR|Brotli|BrowserStack|Bugcrowd|BugZilla|Bugzilla|Buildah|BuildKit|Buildkite|Buildroot|Burp Suite|BusyBox|c-ares|Caddy|Calendly|
    Canva|Capistrano|Capybara|CarPlay|Cassandra|CentOS|Ceph|cert-manager|Certbot|CFEngine|Chaos Mesh|ChatGPT|Chocolatey|Chrome OS|Chromecast|
    ChromeOS|Chromium|Cilium|CircleCI|Citrix|CiviCRM|Civil 3D|CKAN|ClamAV|Clang|Claude Code|ClickHouse|ClickUp|Cloud Foundry|Cloudflare Pages|
    Cloudflare Workers|CloudFormation|CloudFront|Cloudinary|CloudStack|CloudTrail|CloudWatch|CMake|CockroachDB|Codeberg|Codecov|CodeQL|Coinbase|
    Concourse CI|conda-forge|Confluence|containerd|Contentful|Contiki|coreboot|CoreDNS|CoreOS|Corepack|Cosign|Cosmos DB|CouchBase|Couchbase|CouchDB|
    Coveralls|CPAN|Craft CMS|CRAN|CRI-O|Crossplane|CrowdStrike|cuDNN|cURL|Cygwin|Cython|D3.js|Dagster|DALL-E|Dashlane|Dask|Databricks|Datadog|
    DBeaver|DC/OS|DD-WRT|Debezium|Deliveroo|Delta Lake|Deno|Dependabot|Dependency-Track|Dgraph|Discogs|Discourse|Django|dnsmasq|Docker Compose|
    Docker Desktop|Docker Engine|Docker Hub|Docker Machine|Docker Registry|Docker Scout|Docker Swarm|DocumentDB|Docusaurus|DocuSign|DoorDash|
    Dovecot|Doxygen|DPDK|dplyr|DragonFly BSD|draw.io|Dropbox|Drupal|DuckDB|DuckDuckGo|Duplicati|Dynamics 365|DynamoDB|Dynatrace|EC2|Ecosia|EKS|
    Elastic Kubernetes Service|Elastic Stack|ElastiCache|elementary OS|Eleventy|Emacs|Ember.js|Emby|EMQX|Entity Framework|Entra ID|Envoy Proxy|
    ERPNext|esbuild|ESLint|ESP32|ESP8266|ESPHome|ESXi|etcd|Etherpad|Etherscan|Eventbrite|Evernote|Excalidraw|Excel|Exchange Online|Exchange Server|
    Expedia|Expensify|ExternalDNS|FaceTime|Fail2ban|fail2ban|Fargate|FastAPI|Fastify|Fastly|FFmpeg|Figma|FileZilla|Final Cut Pro|Fire TV|Firebase|
    Firestore|firewalld|Fivetran|Flagsmith|Flake8|Flatcar Linux|Flatpak|Flickr|Fluent Bit|FluentBit|Fluentd|Flux CD|FluxCD|Forgejo|FoundationDB|
    FreeBSD|FreeCAD|FreeIPA|FreeNAS|FreeRADIUS|FreeRTOS|Freshdesk|Fusion 360|GarageBand|Gboard|GCC|GDAL|Gentoo|GeoServer|Gerrit|ggplot2|gh-ost|GIMP|
    GitBook|Gitea|GitHub Actions|GitHub CLI|GitHub Codespaces|GitHub Container Registry|GitHub Copilot|GitHub Desktop|GitHub Discussions|
    GitHub Enterprise|GitHub Issues|GitHub Packages|GitHub Pages|GitHub Projects|GitHub Sponsors|GitLab CI|Gitter|GKE|glibc|GlusterFS|GNOME|
    GNU Bash|GNU Emacs|GNU Hurd|GNU Make|GNU Octave|GNU Privacy Guard|GNU Radio|GnuPG|GnuTLS|GoCD|GoFundMe|Gogs|Goodreads|Google Analytics|
    Google App Engine|Google Authenticator|Google Calendar|Google Chrome|Google Cloud|Google Cloud Platform|Google Cloud Run|Google Cloud Storage|
    Google Colab|Google Colaboratory|Google Compute Engine|Google Data Studio|Google Docs|Google Drive|Google Earth|Google Earth Engine|
    Google Forms|Google Glass|Google Groups|Google Hangouts|Google Home|Google Kubernetes Engine|Google Maps|Google Meet|Google Pay|Google Photos|
    Google Play|Google Scholar|Google Search Console|Google Sheets|Google Slides|Google Tag Manager|Google Translate|Google Workspace|GoToMeeting|
    GPT-3|GPT-3.5|GPT-4|GPT-4o|GPT-5|Gradio|Gradle|Grafana|Grafana Loki|GrapheneOS|GraphiQL|GRASS GIS|gRPC-Gateway|GRUB|Grype|Guix|Gunicorn|gVisor|
    Hacker News|HackerOne|HackMD|Hadoop|HandBrake|HAProxy|HashiCorp Consul|HashiCorp Nomad|HashiCorp Vault|Hasura|HDHomeRun|HeidiSQL|Heroku|HiveMQ|
    HoloLens|Home Assistant|Homebrew|Hotjar|HubSpot|Hugging Face Hub|Hugging Face Transformers|Hyper-V|Hyperledger|Hyperledger Fabric|Icinga|iCloud|
    illumos|iMac|ImageMagick|IMDB|IMDb|iMessage|Indiegogo|InfluxDB|Inkscape|Instacart|Instagram|IntelliJ|IntelliJ IDEA|Internet Explorer|iPadOS|
    iptables|IRCCloud|Istio|iTunes|Jackett|Jakarta EE|Java EE|Java SE|Jekyll|Jellyfin|Jenkins X|JetBrains Rider|JFrog Artifactory|Jitsi|Jitsi Meet|
    Jitsi Videobridge|JMeter|Joomla|JUnit|Jupyter|Jupyter Book|Jupyter Lab|Jupyter Notebook|JupyterHub|JupyterLab|k3d|K3s|k6|k9s|Kafka|Kaggle|KaiOS|
    Kali Linux|Kanboard|KDE|KDE Plasma|KEDA|KeePass|KeePassXC|Kentico|Keras|Keycloak|Kibana|KiCad|Kickstarter|Klarna|Knative|knitr|Kodi|
    Kong Gateway|kOps|kops|KrakenD|Krita|kube-apiserver|kube-controller-manager|kube-proxy|kube-scheduler|kube-vip|kubeadm|Kubebuilder|kubectl|
    KubeEdge|Kubeflow|Kubelet|Kubespray|kubespray|KubeVirt|Kustomize|KVM|Kyverno|LabVIEW|LangChain|Laravel|Last.fm|LastPass|LaunchDarkly|
    Let's Encrypt|LevelDB|Libera.Chat|LibreOffice|LibreSSL|LibreWolf|Libtool|libuv|Lidarr|LightGBM|Lighttpd|lighttpd|LineageOS|LinkedIn|Linkerd|
    Linux Mint|Liquibase|LitmusChaos|LLaMA|LlamaIndex|llhttp|LLVM|LM Studio|LMDB|Lodash|Logic Pro|Logit.io|Logseq|Logstash|Looker Studio|Lucene|
    Lucidchart|LXC|LXD|LXQt|Mac mini|Mac OS X|MacBook Air|MacBook Pro|MacPorts|Magento|Mailchimp|Manjaro|Mantis Bug Tracker|Mapbox|MapReduce|
    MapServer|MariaDB|MariaDB Galera|Mathematica|MATLAB|Matomo|Matplotlib|Mattermost|MediaWiki|Mediawiki|Meltano|Memcached|MemSQL|Mergify|Mesos|
    Metabase|MetalLB|MetaMask|Metasploit|MicroK8s|Microsoft 365|Microsoft Access|Microsoft Azure|Microsoft Copilot|Microsoft Defender|
    Microsoft Edge|Microsoft Entra ID|Microsoft Excel|Microsoft Exchange|Microsoft Intune|Microsoft Office|Microsoft Outlook|Microsoft Planner|
    Microsoft PowerPoint|Microsoft Project|Microsoft SQL Server|Microsoft Store|Microsoft Teams|Microsoft Visio|Microsoft Windows|Microsoft Word|
    Midjourney|Miniconda|Minikube|minikube|MinIO|Minitab|Miro|Misskey|Mixpanel|Mixtral|MkDocs|MLflow|Moment.js|Monday.com|Monzo|Moodle|Mosquitto|
    Mozilla Firefox|MPlayer|mpv|MSBuild|MSYS2|MusicBrainz|musl|MySQL Workbench|Nagios|NATS.io|nbconvert|Neo4j|Neovim|Nessus|NestJS|NetBeans|NetBSD|
    Netlify|Netlify CMS|NetSuite|Netty|New Relic|Next.js|Nextcloud|nftables|nghttp2|NGINX|Nginx|Nintendo Switch|NixOS|NLTK|Nmap|NocoDB|node-gyp|
    Node-RED|Node.js|Nodemon|Nokogiri|Notepad++|npm|NSQ|NuGet|Nuitka|Numba|NumPy|Nuxt|NVM|nvm|OBS Studio|Octopus Deploy|Odoo|Office 365|OKD|Okta|
    Ollama|OmniFocus|OneDrive|OneLogin|OneNote|OnionShare|OPA Gatekeeper|Open Collective|Open Policy Agent|Open vSwitch|OpenAPI|OpenBSD|OpenCart|
    OpenCV|OpenEBS|OpenGrok|openHAB|OpenLayers|OpenLDAP|OpenNebula|OpenProject|OpenSCAD|OpenSearch|OpenShift|OpenSSH|OpenSSL|OpenStack|
    OpenStreetMap|openSUSE|OpenTelemetry|OpenTofu|OpenVINO|OpenVPN|OpenWrt|OPNsense|OpsGenie|Opsgenie|Optimizely|Oracle Linux|OrientDB|Otter.ai|
    Overleaf|oVirt|OWASP ZAP|ownCloud|PagerDuty|Pandas|pandas|Pandoc|Patreon|PayPal Checkout|PeerTube|Percona Server|Perforce|pfSense|pgAdmin|
    PgBouncer|Phabricator|phpMyAdmin|phpPgAdmin|PhpStorm|Pi-hole|Pingdom|Pinterest|Pipenv|PipeWire|Pivotal Tracker|Piwik|Pixelfed|Plasma Mobile|
    Plausible Analytics|PlayStation|PlayStation 4|PlayStation 5|Playwright|Pleroma|Plone|Plotly|Plotly Dash|pnpm|PocketBase|Podman|Polars|Portainer|
    PostCSS|Postfix|PostGIS|Postgres|PostgREST|PostHog|postmarketOS|PouchDB|Power Apps|Power Automate|Power BI|Power Platform|PowerDNS|PrestaShop|
    Prisma|Pro Tools|Prometheus|Proton Mail|ProtonMail|Protonmail|Prowlarr|Proxmox|Proxmox VE|ProxySQL|PulseAudio|Pulumi|PuTTY|PyArrow|PyCharm|
    Pydantic|PyInstaller|Pylint|PyPI|PySpark|pytest|PyTorch|qBittorrent|QEMU|QGIS|QNX|QNX Neutrino|Qualtrics|Quay.io|Qubes OS|QuickBooks|Quora|
    R Markdown|RabbitMQ|Radarr|RancherOS|Raspberry Pi|Rclone|rclone|React Native|React Router|React.js|ReactJS|Read the Docs|Read.ai|ReadTheDocs|
    Red Hat Enterprise Linux|Redash|Reddit|Redis|Redmine|Redshift|renovatebot|RethinkDB|Revit|Revolut|RHEL|RKE2|RMarkdown|Rocket.Chat|RocketChat|
    RocksDB|Rocky Linux|Roku|Rollbar|Rollup.js|Route 53|Route53|RSpec|RStudio|rsync|RuboCop|Ruby on Rails|RubyGems|RubyMine|Rundeck|SageMaker|
    Sailfish OS|Salesforce CRM|SaltStack|Sanity.io|SAP HANA|scikit-learn|SciPy|Scribus|ScyllaDB|Seafile|Semgrep|SendGrid|Sendmail|
    Serverless Framework|ServiceNow|setuptools|SharePoint|Shopify|Shopware|Sidekiq|Sigstore|Silverstripe|SimpleCov|Simulink|Sinatra|Sitecore|
    Skaffold|SketchUp|Skopeo|Skype|Slack|Slackbot|Slackware|Smartsheet|Snapchat|Snapcraft|Snowflake|Snyk|Socket.IO|SolidWorks|Solr|SonarCloud|
    SonarQube|Sonarr|Sonatype Nexus|Sonobuoy|SoundCloud|SourceForge|Sourcegraph|spaCy|SpamAssassin|SpiderMonkey|SPIFFE|SPIRE|Splunk|Spring Boot|
    SPSS|SQL Server|SQLAlchemy|SQS|Squarespace|Stable Diffusion|Stack Overflow|StackOverflow|StackStorm|Stata|StatsD|Statuspage|Steam Deck|
    Storybook|Strapi|Streamlit|Stripe Connect|StrongSwan|Sublime Text|Substack|SuccessFactors|SugarCRM|SuiteCRM|Supabase|Superset|SurveyMonkey|
    SUSE Linux|SvelteKit|SVN|Syft|Symfony|Syncthing|systemd|Tailscale|Tailwind CSS|Talos Linux|Tarsnap|TeamCity|Telegram|Telepresence|TensorFlow|
    TensorFlow Lite|TensorRT|TestFlight|Thanos|TheTVDB|Three.js|Thunderbird|TiDB|tidyverse|TikTok|TiKV|TimescaleDB|Tizen|TMDB|Todoist|Tomcat|
    Tor Browser|Traefik|Travis CI|Tripadvisor|Trivy|TrueNAS|TrueNAS CORE|TrueNAS SCALE|Tumblr|TVHeadend|Tvheadend|tvOS|Twilio|Twitch|Twitter|Tyk|
    Typeform|TYPO3|Typo3|U-Boot|Ubuntu Touch|uClibc|Umbraco|undici|Uniswap|Unraid|Unreal Engine|uWSGI|V8|Vagrant|Vaultwarden|Velero|Vercel|
    Verdaccio|Vertex AI|Vim|Vimeo|VirtualBox|virtualenv|Visual Studio|Visual Studio Code|Vite|Vitess|Vitest|VLC|VMware vSphere|Void Linux|VS Code|
    VSCode|vSphere|Vue.js|VxWorks|watchOS|Wayback Machine|Webex|WebKit|webOS|Webpack|webpack|WebRender|WebStorm|WeChat|Weights & Biases|WhatsApp|
    When2meet|Wikidata|Wikimedia Commons|Wikipedia|Windows Defender|Windows NT|Windows Phone|Windows Server|Windows Subsystem for Linux|
    Windows Terminal|Windows Vista|Windows XP|WinForms|WinRAR|WinSCP|WireGuard|WireMock|Wiremock|Wireshark|Wolfram Alpha|WolframAlpha|WooCommerce|
    WriteFreely|WSL|WSL2|Xamarin|Xbox|Xbox 360|Xbox One|Xcode|XCP-ng|Xen|Xero|Xfce|XGBoost|Xorg|Yandex|Yocto|YouTrack|YouTube|YubiKey|Yubikey|
    YugabyteDB|Zabbix|Zapier|Zendesk|ZenHub|Zenhub|Zephyr RTOS|ZeroMQ|Zipkin|zlib|Zoekt|ZooKeeper|Zotero|Zulip
    """
)
CLOUDS = frozenset(("AWS", "GCP"))
"""Names of whole families of software."""
SHARED_WORDS = frozenset(
    "Anaconda Atom Babel Basecamp Bundler Calico Celery Chef Consul Cucumber Cypress Discord Duplicity Eclipse "
    "Electron Envoy Flannel Flask Flutter Gatsby Git Harbor Helm Honeycomb Hugo Jaeger Jest Loki Mastodon Maven Mocha "
    "Nomad Notion Obsidian Packer Poetry Postman Puma Puppet Puppeteer Rails Rancher Redux Renovate Rook Ruby Rust "
    "Samba Sass Selenium Sentry Solaris Sphinx Squid Swagger Tableau Varnish Vault Workday Yarn Zoom".split()
)
"""Names of software that are words too: they count where the document names two others."""
LANGUAGES = frozenset("Ruby Rust".split())
"""Those of them that are languages."""
TECHNIQUES = _listed(
    """
    2FA|3G|4G|5G|AAC|AArch64|ABAP|ABI|AC-3|ACPI|ActivityPub|AES|ALB|AMD64|AMQP|AOT|APFS|APIs|ARM64|ARP|ASCII|AsciiDoc|ASN.1|AsyncAPI|AV1|AVIF|Avro|
    BACnet|Bash|BGP|BibLaTeX|BibTeX|BIOS|Bitcoin|Bluetooth|BPF|BTRFS|Btrfs|C#|C++|CalDAV|CAN bus|CardDAV|CBOR|CDN|cgroups|CIDR|CJS|Clojure|CLR|CNI|
    CoAP|COBOL|CoffeeScript|COM|Common Lisp|CommonJS|CORS|CPU|CRD|CRDs|CRI|CSI|CSP|CSRF|CSS|CSS Grid|CSS3|CSV|CUDA|D-Bus|DDoS|DDR4|DDR5|DHCP|DICOM|
    DirectX|DKIM|DLL|DLNA|DMARC|DNP3|DNS|DNSSEC|DocBook|DoH|Dolby Atmos|Dolby Vision|Dublin Core|eBPF|ECMAScript|ELB|Elixir|EPUB|Erlang|ESM|EtherCAT|
    Ethereum|Ethernet|EtherNet/IP|exFAT|ext3|EXT4|ext4|F#|F2FS|FAT32|FFI|FHIR|FIDO|FIPS|FLAC|Fortran|FTP|GeoJSON|GeoTIFF|GIF|GML|Golang|GPIO|GPS|GPU|
    GraphQL|gRPC|GSM|GUID|H.264|H.265|H.266|Haskell|HDD|HDDs|HDF5|HDMI|HDR10|HDR10+|HEVC|HL7|HLS|HMAC|HPA|HSTS|HTML|HTML5|HTTP|HTTP/2|HTTP/3|HTTP2|
    HTTP3|HTTPS|I2C|i386|iCalendar|ICMP|IEC 61850|IEC 62443|IGMP|IMAP|IMEI|IPC|IPFS|IPsec|IPv4|IPv6|IRC|iSCSI|ISO 27001|ISO 8601|ISO 9001|Java|
    JavaScript|JIT|JPEG|jQuery|JS|JSON|JSON Schema|JSON Web Token|JSON-LD|JSX|JVM|JWE|JWS|JWT|JWTs|KaTeX|KML|Kotlin|L2TP|LaTeX|LDAP|LoRa|LoRaWAN|LSTM|
    LTE|Lua|LUKS|LVM|Markdown|MathJax|MathML|Matroska|MD5|MessagePack|MFA|MIME|MIPS|MKV|Modbus|MP3|MP4|MPEG-2|MPEG-4|MPEG-DASH|MPLS|MQTT|MSI|mTLS|NAT|
    NetCDF|NewSQL|NFC|NFS|Nim|NMEA|NoSQL|NTFS|NTLM|NTP|NUMA|NVMe|OAuth|OAuth 2.0|OAuth2|Objective-C|OCaml|OCI|OCR|OCSP|Ogg|OIDC|OPC UA|OpenCL|OpenGL|
    OpenID|OpenID Connect|OpenPGP|OpenType|OPML|OSPF|Parquet|PCIe|PDF|Perl|PGP|PHP|PIN|PKCE|PKI|PL/SQL|PNG|POSIX|PostScript|PowerPC|PPTP|PROFIBUS|
    PROFINET|Prolog|Protobuf|PSTN|PureScript|Python|QR code|QUIC|RADIUS|RAID|RAID0|RAID1|RAID10|RAID5|RAM|RBAC|RDF|REST|reStructuredText|RFC 3339|
    RFID|RISC-V|ROCm|RPC|RS-232|RS-485|RSA|RSS|RTMP|RTP|RTSP|S/MIME|SAML|SAS|SATA|SCADA|Scala|Schema.org|SCIM|SCSS|seccomp|SFTP|SHA|SHA-1|SHA-256|
    SHA256|SIMD|SIP|SKOS|Smalltalk|SMB|SMS|SMTP|SNMP|SOAP|SOCKS5|Solidity|SPARQL|SPF|SQL|SSD|SSDs|SSH|SSL|SSO|SSRF|STUN|SVG|SystemVerilog|T-SQL|TCP|
    TeX|TIFF|TLA+|TLS|tmpfs|TOML|TOTP|TPM|TrueHD|TrueType|TypeScript|U2F|UART|UDP|UEFI|Unicode|UPnP|USB|UTF|UTF-8|UUID|VB.NET|VBA|vCard|Verilog|VHD|VHDL|
    Visual Basic|VLAN|VM|VNC|VoIP|Vorbis|VP8|VP9|VPC|VPN|VSS|Vulkan|VXLAN|WASI|WASM|Wasm|Wayland|WCAG|WebAssembly|WebAuthn|WebDAV|WebDriver|WebGL|
    WebGPU|WebIDL|WebM|WebP|WebRTC|WebSocket|WebSockets|WebSub|WebXR|Wi-Fi|WiFi|WMI|WOFF|WOFF2|WPA2|WPA3|WS-Federation|WYSIWYG|X.509|X11|x86|x86_64|
    XFS|XHTML|XML|XMPP|XPath|XQuery|XSLT|XSS|YAML|Z-Wave|ZFS|Zig|ZigBee|Zigbee
    """
)
"""Protocols, formats, languages, devices, which the tagger takes for organizations and places."""
COMMON_NOUNS = frozenset(
    "API APIs CDN CDNs CLI CLIs CPU CPUs DB DBs GPU GPUs GUI GUIs HDD HDDs IDE IDEs IPC LAN OS PC PCs PIN PINs RAM SDK "
    "SDKs SIG SIGs SSD SSDs UI UIs URI URIs URL URLs UX VM VMs VPC VPCs VPN VPNs WAN WG WGs".split()
)
"""Letters of which every text speaks as of a common noun: *the CPU*. They are something to look up only where a text
says what they are."""
PRACTICES = frozenset(
    "FAQs CLA CLAs E2E GA TL TLs RC RCs RFC SemVer CoC CFP ToC ToS SRE SREs CVE CVEs DCO EHR EHRs KPI KPIs MVP MVPs NDA NDAs OKR OKRs PRs PTO QA RFCs RFP RFPs RFQ SLA SLAs SLO SLOs TOIL DevOps DevSecOps DevRel "
    "GitOps FinOps MLOps AI ML LLM LLMs NLP OSS FOSS Kanban Scrum TDD BDD CI/CD".split()
)
"""Ways to work, and words for papers and periods."""
LICENSES = frozenset("GPL GPLv2 GPLv3 LGPL LGPLv3 AGPL AGPLv3 MIT-0 CC-BY CC-BY-SA CC0".split())
REGIONS = frozenset("AMER ANZ APAC DACH EMEA LATAM MENA".split())
"""Parts of the world that firms divide it into."""
CONFERENCES = frozenset(
    "AWS re:Invent|re:Invent|Google I/O|Google Next|Google Cloud Next|Microsoft Build|Microsoft Ignite|GitHub Universe|Red Hat Summit|"
    "Open Source Summit|VMware Explore|VMworld|Dreamforce|FOSDEM|OSCON|ApacheCon|Community Over Code|FOSS Backstage|All Things Open|Strange Loop|"
    "Grace Hopper Celebration|SIGGRAPH|NeurIPS|ICML|ICLR|CVPR|EMNLP|SIGMOD|VLDB|OSDI|SOSP|PLDI|SXSW|WWDC|Hacktoberfest|EuroPython|linux.conf.au|"
    "Web Summit|Chaos Communication Congress|Black Hat USA|DEF CON".split("|")
)
PROGRAMS = frozenset(
    "Google Code-in|Google Season of Docs|Google Summer of Code|LFX Mentorship|Outreachy|Season of Docs|Season of KDE|"
    "Summer of Code|GSoC|GSoD".split("|")
)
"""What brings newcomers to projects for some time."""
LAWS = frozenset(
    "Affordable Care Act|AI Act|CCPA|CFAA|Clean Air Act|Clean Water Act|COPPA|Digital Markets Act|"
    "Digital Millennium Copyright Act|Digital Services Act|DMCA|Dodd-Frank|FERPA|FOIA|GDPR|HIPAA|Magna Carta|"
    "Patriot Act|Sarbanes-Oxley".split("|")
)
OTHER_NAMES = {
    "ArgoCD": "Argo CD", "BugZilla": "Bugzilla", "FluentBit": "Fluent Bit", "Github": "GitHub", "GitHub.com": "GitHub", "GitLab.com": "GitLab",  "Github Desktop": "GitHub Desktop",
    "Golang": "Go", "K8s": "Kubernetes", "k8s": "Kubernetes", "Mediawiki": "MediaWiki", "NodeJS": "Node.js", "Node.JS": "Node.js",
    "nodejs": "Node.js", "OTel": "OpenTelemetry", "OTEL": "OpenTelemetry", "Opsgenie": "OpsGenie", "Postgres": "PostgreSQL",
    "ReadTheDocs": "Read the Docs", "StackOverflow": "Stack Overflow", "VS Code": "Visual Studio Code", "VSCode": "Visual Studio Code",
    "reST": "reStructuredText", "ReST": "reStructuredText", "CNCF": "Cloud Native Computing Foundation", "HMRC": "HM Revenue and Customs",
    "IETF": "Internet Engineering Task Force", "W3C": "World Wide Web Consortium", "AlertManager": "Alertmanager", "Minio": "MinIO", "GH": "GitHub", "GHA": "GitHub Actions",
    "AKS": "Azure Kubernetes Service", "AWS": "Amazon Web Services", "EKS": "Amazon EKS", "Elastic Kubernetes Service": "Amazon EKS",
    "Amazon Elastic Kubernetes Service": "Amazon EKS", "FluxCD": "Flux CD", "GCP": "Google Cloud Platform", "GKE": "Google Kubernetes Engine", "RHEL": "Red Hat Enterprise Linux",
    "EU": "European Union", "UN": "United Nations", "CFN": "CloudFormation", "AWS CloudFormation": "CloudFormation", "Elastic Compute Cloud": "Amazon EC2", "Elastic Container Registry": "Amazon ECR", "Elastic Container Service": "Amazon ECS",
    "Relational Database Service": "Amazon RDS", "S3": "Amazon S3", "Simple Storage Service": "Amazon S3", "SQS": "Amazon SQS",
    "OSX": "macOS", "OS X": "macOS", "Mac OS X": "macOS", "Mac OS": "macOS", "NPM": "npm", "Hackerone": "HackerOne", "Youtube": "YouTube", "Linkedin": "LinkedIn",
    "ReactJS": "React.js", "AWS Route 53": "Route 53", "Amazon Route 53": "Route 53", "Route53": "Route 53", "EC2": "Amazon EC2", "CouchBase": "Couchbase", "Zenhub": "ZenHub", "Yubikey": "YubiKey",
}  # fmt: skip
"""What else some of it is called, to its name."""
_CONFIGURES = re.compile(r"(?!Pro|Sub)[A-Z][a-z]{2,}file")
"""*Caddyfile*, *Dockerfile*: what configures a tool is written in."""
_HEADER = re.compile(r"X-[A-Z][\w]*(?:-[A-Z][\w]*)*")
"""*X-Forwarded-For*, of a request over the web."""
FIRMS_TOO = frozenset(
    "Airtable|Algolia|Amazon Web Services|Apigee|Asana|Auth0|Bandcamp|Binance|Bitbucket|Bitwarden|Booking.com|"
    "BrowserStack|Bugcrowd|Buildkite|Calendly|Canva|Chef|CircleCI|Citrix|Codecov|Coinbase|Contentful|CrowdStrike|"
    "Dashlane|Databricks|Datadog|Deliveroo|Discord|Docker|DocuSign|DoorDash|Dropbox|Evernote|Expedia|Expensify|"
    "Fastly|Figma|Fivetran|GitHub|GitLab|Google Cloud|Grafana|HackerOne|Heroku|HubSpot|Instacart|Instagram|"
    "Kickstarter|Klarna|LastPass|LaunchDarkly|LinkedIn|Mailchimp|Mapbox|Mattermost|Miro|MongoDB|Monzo|Netlify|"
    "New Relic|Notion|Okta|Optimizely|PagerDuty|Patreon|Pinterest|PostHog|Puppet|Quora|Reddit|Revolut|Rollbar|"
    "SendGrid|Sentry|ServiceNow|Shopify|Skype|Slack|Snapchat|Snowflake|Snyk|SoundCloud|Sourcegraph|Splunk|"
    "Squarespace|Stack Overflow|Substack|Supabase|SurveyMonkey|Tailscale|TikTok|Tripadvisor|Twilio|Twitch|"
    "Twitter|Typeform|Vercel|WhatsApp|YouTube|Zapier|Zendesk|Zoom".split("|")
)
"""Names of software that its makers have, too."""

_RELEASE = re.compile(r"(?P<name>\S.*?) v?\d{1,4}(?:\.\d{1,3}){0,3}")
"""A name with the number of a release: *Ubuntu 20.04*."""


def well_known_type(name: str) -> str:
    """What a name means wherever it stands; empty for most, and for what may be its maker as well."""
    if name in FIRMS:
        return "Organization"
    name = usual_spelling(name)
    if name in TECHNIQUES:
        return "Technology"
    if name in PRACTICES:
        return "Concept"
    if name in LAWS:
        return "Law"
    if name in CONFERENCES:
        return "Event"
    if name in PROGRAMS:
        return "Program"
    if name in LICENSES:
        return "License"
    if name in REGIONS:
        return "Location"
    if _CONFIGURES.fullmatch(name) or _HEADER.fullmatch(name):
        return "Technology"
    if name in CLOUDS or (name in SOFTWARE and name not in FIRMS_TOO):
        return "Product"
    release = _RELEASE.fullmatch(name)
    kind = well_known_type(release["name"]) if release is not None else ""
    return kind if kind in ("Product", "Technology") else ""


_BY_LETTERS = {
    name.casefold(): name
    for name in sorted(SOFTWARE | TECHNIQUES)
    if len(name) > 5 and name[1:] != name[1:].lower() and not name.isupper() and " " not in name
}
"""Names with capitals inside, which many write with fewer: *Javascript*."""


def usual_spelling(name: str) -> str:
    """A name as the software or the technique is mostly written: *JavaScript* for *Javascript*; others stay."""
    return _BY_LETTERS.get(name.casefold(), name) if name[:1].isupper() and name.isalpha() else name


def is_known_software(name: str) -> bool:
    """Whether a name is that of well-known software, or a word that is such a name in texts on software."""
    return name in SOFTWARE or name in SHARED_WORDS
