/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: lnpay
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `user`
--

DROP TABLE IF EXISTS `user`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `api_parent_id` int(11) DEFAULT NULL,
  `api_version` varchar(255) DEFAULT NULL,
  `org_id` int(11) unsigned DEFAULT NULL,
  `org_user_type_id` int(11) unsigned DEFAULT NULL,
  `username` varchar(255) NOT NULL,
  `auth_key` varchar(32) NOT NULL,
  `mfa_secret_key` varchar(255) DEFAULT NULL,
  `password_hash` varchar(255) NOT NULL,
  `password_reset_token` varchar(255) DEFAULT NULL,
  `default_wallet_id` int(11) DEFAULT NULL,
  `email` varchar(255) NOT NULL,
  `email_verify` tinyint(1) DEFAULT 0,
  `external_hash` varchar(255) DEFAULT NULL,
  `status` smallint(6) NOT NULL DEFAULT 10,
  `created_at` int(11) NOT NULL,
  `updated_at` int(11) NOT NULL,
  `fee_wallet_id` int(11) DEFAULT NULL,
  `balance` int(11) DEFAULT 0,
  `tz` varchar(255) DEFAULT NULL,
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  PRIMARY KEY (`id`),
  UNIQUE KEY `username` (`username`),
  UNIQUE KEY `email` (`email`),
  UNIQUE KEY `password_reset_token` (`password_reset_token`),
  KEY `user_ibfk_1` (`api_parent_id`),
  KEY `user_ibfk_2` (`default_wallet_id`),
  KEY `user_ibfk_5` (`org_id`),
  KEY `user_ibfk_6` (`org_user_type_id`),
  CONSTRAINT `user_ibfk_1` FOREIGN KEY (`api_parent_id`) REFERENCES `user` (`id`),
  CONSTRAINT `user_ibfk_2` FOREIGN KEY (`default_wallet_id`) REFERENCES `wallet` (`id`),
  CONSTRAINT `user_ibfk_5` FOREIGN KEY (`org_id`) REFERENCES `org` (`id`),
  CONSTRAINT `user_ibfk_6` FOREIGN KEY (`org_user_type_id`) REFERENCES `org_user_type` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=203 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `user`
--

LOCK TABLES `user` WRITE;
/*!40000 ALTER TABLE `user` DISABLE KEYS */;
INSERT INTO `user` VALUES
(200,NULL,'2020-02-19',2001,20,'shop','dUZelAGvWkXnupFii6BYApeDXCnv3g7J','hYm3rAjc5nnrLQfyAK65','$2y$10$YiUBKriJtUNQTu7RgIPGpe6uSwO93EMS/eKWL0aqrzvw.LaodSvni',NULL,NULL,'Shop@Example.com',1,'usr_icLwkUAdlTOirn',10,1640000000,1640000000,NULL,0,'UTC','{\"max_receive_sats\":100000}'),
(201,NULL,'2020-02-19',2000,40,'developer','6VcFEoFJ7erPSIJAzcuw8KiI5Hc0zbcK',NULL,'$2y$10$YiUBKriJtUNQTu7RgIPGpe6uSwO93EMS/eKWL0aqrzvw.LaodSvni',NULL,NULL,'developer@example.com',1,'usr_92OoriOkmP2dqr',10,1640000000,1640000000,NULL,0,'UTC','{\"max_receive_sats\":100000}'),
(202,NULL,'2020-02-19',2000,40,'gone','lFvrqmJnJVtccg8E6VeC0l14t46B5vkS',NULL,'$2y$10$YiUBKriJtUNQTu7RgIPGpe6uSwO93EMS/eKWL0aqrzvw.LaodSvni',NULL,NULL,'gone@example.com',1,'usr_L7q6aVhgT5CJlM',0,1640000000,1640000000,NULL,0,'UTC','{\"max_receive_sats\":100000}');
/*!40000 ALTER TABLE `user` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `org`
--

DROP TABLE IF EXISTS `org`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `org` (
  `id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `created_at` int(11) DEFAULT NULL,
  `updated_at` int(11) DEFAULT NULL,
  `name` varchar(255) NOT NULL DEFAULT '',
  `display_name` varchar(255) NOT NULL DEFAULT '',
  `external_hash` varchar(128) NOT NULL DEFAULT '',
  `status_type_id` int(11) NOT NULL,
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  PRIMARY KEY (`id`),
  KEY `status_type_id` (`status_type_id`),
  CONSTRAINT `org_ibfk_1` FOREIGN KEY (`status_type_id`) REFERENCES `status_type` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=2002 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `org`
--

LOCK TABLES `org` WRITE;
/*!40000 ALTER TABLE `org` DISABLE KEYS */;
INSERT INTO `org` VALUES
(2000,1795855641,1795855641,'lnpay_default_org','LNPay Organization','org_EoqWo3Gs',500,NULL),
(2001,1640000000,1640000000,'shop_org','Shop','org_QXC6bzo9',500,NULL);
/*!40000 ALTER TABLE `org` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `wallet`
--

DROP TABLE IF EXISTS `wallet`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `wallet` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `created_at` int(11) NOT NULL,
  `updated_at` int(11) NOT NULL,
  `user_id` int(11) NOT NULL,
  `user_label` varchar(255) DEFAULT NULL,
  `balance` int(11) NOT NULL DEFAULT 0,
  `balance_msat` int(11) DEFAULT NULL,
  `ln_node_id` varbinary(64) DEFAULT NULL,
  `external_hash` varchar(255) NOT NULL DEFAULT '',
  `default_lnurlw_id` int(11) DEFAULT NULL,
  `default_lnurlpay_id` int(11) DEFAULT NULL,
  `wallet_type_id` int(11) DEFAULT NULL,
  `status_type_id` int(11) DEFAULT NULL,
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  PRIMARY KEY (`id`),
  KEY `user_id` (`user_id`),
  KEY `wallet_ibfk_2` (`status_type_id`),
  KEY `wallet_ibfk_3` (`ln_node_id`),
  KEY `wallet_ibfk_4` (`wallet_type_id`),
  KEY `wallet_ibfk_5` (`default_lnurlpay_id`),
  KEY `wallet_ibfk_6` (`default_lnurlw_id`),
  CONSTRAINT `wallet_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_ibfk_2` FOREIGN KEY (`status_type_id`) REFERENCES `status_type` (`id`),
  CONSTRAINT `wallet_ibfk_3` FOREIGN KEY (`ln_node_id`) REFERENCES `ln_node` (`id`),
  CONSTRAINT `wallet_ibfk_4` FOREIGN KEY (`wallet_type_id`) REFERENCES `wallet_type` (`id`),
  CONSTRAINT `wallet_ibfk_5` FOREIGN KEY (`default_lnurlpay_id`) REFERENCES `wallet_lnurlpay` (`id`) ON DELETE SET NULL ON UPDATE SET NULL,
  CONSTRAINT `wallet_ibfk_6` FOREIGN KEY (`default_lnurlw_id`) REFERENCES `wallet_lnurlw` (`id`) ON DELETE SET NULL ON UPDATE SET NULL
) ENGINE=InnoDB AUTO_INCREMENT=2507 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `wallet`
--

LOCK TABLES `wallet` WRITE;
/*!40000 ALTER TABLE `wallet` DISABLE KEYS */;
INSERT INTO `wallet` VALUES
(2500,1640002500,1640002500,200,'Till',81767,NULL,'lnod_xyEcxHjBUH0r','wal_2nXiSIyMfj0PE3',NULL,2500,5,200,'{\"till\":3,\"note\":\"it\'s a \\\"test\\\" \\\\ with\\nlines; (\'x\'),\"}'),
(2501,1640002501,1640002501,200,'Fees',900,NULL,'lnod_xyEcxHjBUH0r','wal_wJLmP46mL2p50O',NULL,2501,15,200,NULL),
(2502,1640002502,1640002502,201,'Käufer',4354,NULL,'lnod_xyEcxHjBUH0r','walx_e83f10dcd2c68747c3f3ba14',NULL,2502,5,200,NULL),
(2503,1640002503,1640002503,201,'Inactive',210,NULL,'lnod_xyEcxHjBUH0r','wal_Yi0AM7GII2cnjx',NULL,2503,5,210,NULL),
(2504,1640002504,1640002504,201,'Negative',-4,NULL,'lnod_xyEcxHjBUH0r','wal_Fs5BNlZjcoouoK',NULL,2504,5,200,NULL),
(2505,1640002505,1640002505,201,'Empty',0,NULL,'lnod_xyEcxHjBUH0r','wal_szUXWr0esdzwzi',NULL,2505,5,200,NULL),
(2506,1640002506,1640002506,202,'Of a closed account',640,NULL,'lnod_xyEcxHjBUH0r','wal_WY0U4ivnMYSBAY',NULL,2506,5,200,NULL);
/*!40000 ALTER TABLE `wallet` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `wallet_transaction`
--

DROP TABLE IF EXISTS `wallet_transaction`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `wallet_transaction` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `created_at` int(11) NOT NULL,
  `updated_at` int(11) NOT NULL,
  `user_id` int(11) NOT NULL,
  `wallet_id` int(11) NOT NULL,
  `wtx_type_id` int(11) DEFAULT NULL,
  `num_satoshis` int(11) NOT NULL,
  `ln_tx_id` int(11) DEFAULT NULL,
  `user_label` varchar(255) DEFAULT NULL,
  `external_hash` varchar(255) NOT NULL,
  `wallet_lnurlpay_id` int(11) DEFAULT NULL,
  `wallet_lnurlw_id` int(11) DEFAULT NULL,
  `json_data` longtext DEFAULT NULL CHECK (json_valid(`json_data`)),
  PRIMARY KEY (`id`),
  KEY `user_id` (`user_id`),
  KEY `wallet_id` (`wallet_id`),
  KEY `ln_tx_id` (`ln_tx_id`),
  KEY `wallet_transaction_ibfk_4` (`wtx_type_id`),
  KEY `wallet_transaction_ibfk_5` (`wallet_lnurlpay_id`),
  KEY `wallet_transaction_ibfk_6` (`wallet_lnurlw_id`),
  CONSTRAINT `wallet_transaction_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_transaction_ibfk_2` FOREIGN KEY (`wallet_id`) REFERENCES `wallet` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_transaction_ibfk_3` FOREIGN KEY (`ln_tx_id`) REFERENCES `ln_tx` (`id`),
  CONSTRAINT `wallet_transaction_ibfk_4` FOREIGN KEY (`wtx_type_id`) REFERENCES `wallet_transaction_type` (`id`),
  CONSTRAINT `wallet_transaction_ibfk_5` FOREIGN KEY (`wallet_lnurlpay_id`) REFERENCES `wallet_lnurlpay` (`id`),
  CONSTRAINT `wallet_transaction_ibfk_6` FOREIGN KEY (`wallet_lnurlw_id`) REFERENCES `wallet_lnurlpay` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `wallet_transaction`
--

LOCK TABLES `wallet_transaction` WRITE;
/*!40000 ALTER TABLE `wallet_transaction` DISABLE KEYS */;
INSERT INTO `wallet_transaction` VALUES
(1,1640002001,1640002001,200,2500,45,12345,NULL,'Balance roll up 2022-01-01 12:00:00','wtx_H9mjCLoqFASrn80L12Zv9F26',NULL,NULL,'[]'),
(2,1640002002,1640002002,200,2500,10,5000,1,'Tea and \'cake\' \\ \"now\"','wtx_igDtRFuQprnrH5jKSb2psnQj',NULL,NULL,'{\"wallet_id\":\"wal_2nXiSIyMfj0PE3\"}'),
(3,1640002003,1640002003,200,2500,10,70000,2,'Große Bestellung','wtx_5W5qHbOyquSee0oMKYnEzPsX',NULL,NULL,'{\"wallet_id\":\"wal_2nXiSIyMfj0PE3\"}'),
(4,1640002004,1640002004,200,2500,20,-1500,3,'Supplier','wtx_9aRQKmEWL1ctLPV0K1UjCQ94',NULL,NULL,'[]'),
(5,1640002005,1640002005,200,2500,70,-3,NULL,'Network fee','wtx_DhY6IYpxGnPnKVQekJcHDPSc',NULL,NULL,'{\"fee_target_wallet\":\"contained\"}'),
(6,1640002006,1640002006,200,2500,75,-75,NULL,'LNPAY service fee (LN Deposit)','wtx_Ul0pYgE9kFWQxEyoX4wdKCUu',NULL,NULL,'{\"fee_target_wallet\":\"contained\"}'),
(7,1640002007,1640002007,200,2500,40,-4000,NULL,'to a customer','wtx_sNEOp61ivhvGVxXLs9ONY6Cf',NULL,NULL,'{\"order\":77}'),
(8,1640002008,1640002008,201,2502,30,4000,NULL,'to a customer','wtx_Nh9q3AERkE3k53xHrUDWVHtc',NULL,NULL,'{\"order\":77}'),
(9,1640002009,1640002009,200,2501,10,900,NULL,'fees','wtx_m700AOdm87Sx8Elut3fcdVvI',NULL,NULL,'[]'),
(10,1640002010,1640002010,201,2502,10,333,4,'keysend','wtx_GKZH2g2QMkMEFCSG4C2X4lmR',NULL,NULL,'{\"wallet_id\":\"walx_e83f10dcd2c68747c3f3ba14\"}'),
(11,1640002011,1640002011,201,2502,60,21,NULL,'LNURL Pay 🎂','wtx_KvbEjeKP6dk6i5do3RhugZlg',NULL,NULL,'{\"comment\":\"hi\"}'),
(12,1640002012,1640002012,201,2503,30,210,NULL,NULL,'wtx_I02sT9Qne0h7m4jP4mjyTPV3',NULL,NULL,'[]'),
(13,1640002013,1640002013,201,2504,10,100,5,'in','wtx_ZayiocKWShRJZNHhJa5FdEIh',NULL,NULL,'{\"wallet_id\":\"wal_Fs5BNlZjcoouoK\"}'),
(14,1640002014,1640002014,201,2504,20,-98,6,'all of it','wtx_urP1iSn4u4vAq9odHl3RgR4a',NULL,NULL,'[]'),
(15,1640002015,1640002015,201,2504,70,-6,NULL,'Network fee','wtx_2aTqm2Dtk5rTwRUGNqqOMnJ5',NULL,NULL,'{\"fee_target_wallet\":\"contained\"}'),
(16,1640002016,1640002016,202,2506,10,640,7,'left behind','wtx_LJsbzV3yVU5nbvVrlPDkzyz9',NULL,NULL,'{\"wallet_id\":\"wal_WY0U4ivnMYSBAY\"}');
/*!40000 ALTER TABLE `wallet_transaction` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `wallet_transaction_type`
--

DROP TABLE IF EXISTS `wallet_transaction_type`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `wallet_transaction_type` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `layer` varchar(255) DEFAULT NULL,
  `name` varchar(255) NOT NULL DEFAULT '',
  `display_name` varchar(255) NOT NULL DEFAULT '',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=80 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `wallet_transaction_type`
--

LOCK TABLES `wallet_transaction_type` WRITE;
/*!40000 ALTER TABLE `wallet_transaction_type` DISABLE KEYS */;
INSERT INTO `wallet_transaction_type` VALUES
(10,'ln','ln_deposit','LN Deposit'),
(20,'ln','ln_withdrawal','LN Withdrawal'),
(30,'ln','ln_transfer_in','Transfer In'),
(40,'ln','ln_transfer_out','Transfer Out'),
(45,'ln','balance_roll_up','Balance Roll Up'),
(50,'ln','ln_loop_out','LN Loop Out'),
(55,'ln','ln_loop_in','LN Loop In'),
(60,'ln','ln_lnurl_pay_inbound','LNURL Pay'),
(62,'ln','ln_lnurl_pay_outbound','LNURL Pay Outbound'),
(65,'ln','ln_lnurl_withdraw','LNURL Withdraw'),
(70,'ln','network_fee','LN Routing Fees'),
(75,'ln','service_fee','LNPAY Service Fee'),
(79,'ln','fee_balance_payment','Fee Balance Payment');
/*!40000 ALTER TABLE `wallet_transaction_type` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `ln_tx`
--

DROP TABLE IF EXISTS `ln_tx`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `ln_tx` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `created_at` int(11) NOT NULL,
  `updated_at` int(11) NOT NULL,
  `user_id` int(11) DEFAULT NULL,
  `ln_node_id` varbinary(64) DEFAULT NULL,
  `external_hash` varchar(255) DEFAULT NULL,
  `dest_pubkey` varchar(255) NOT NULL DEFAULT '',
  `payment_request` varchar(1024) NOT NULL DEFAULT '',
  `r_hash_decoded` varchar(255) DEFAULT NULL,
  `memo` varchar(255) DEFAULT NULL,
  `description_hash` varchar(255) DEFAULT NULL,
  `payment_addr` varchar(255) DEFAULT NULL,
  `num_satoshis` int(11) NOT NULL,
  `fee_msat` int(11) DEFAULT 0,
  `expiry` int(11) DEFAULT NULL,
  `expires_at` int(11) DEFAULT NULL,
  `payment_preimage` varchar(255) DEFAULT NULL,
  `settled` int(11) NOT NULL DEFAULT 0,
  `settled_at` int(11) DEFAULT NULL,
  `is_keysend` tinyint(1) DEFAULT NULL,
  `is_amp` tinyint(1) DEFAULT NULL,
  `custom_records` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`custom_records`)),
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  PRIMARY KEY (`id`),
  KEY `user_id` (`user_id`),
  KEY `payment_request` (`payment_request`),
  KEY `created_at` (`created_at`),
  KEY `settled_at` (`settled_at`),
  KEY `external_hash` (`external_hash`),
  KEY `ln_tx_ibfk_2` (`ln_node_id`),
  CONSTRAINT `ln_tx_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `ln_tx_ibfk_2` FOREIGN KEY (`ln_node_id`) REFERENCES `ln_node` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `ln_tx`
--

LOCK TABLES `ln_tx` WRITE;
/*!40000 ALTER TABLE `ln_tx` DISABLE KEYS */;
INSERT INTO `ln_tx` VALUES
(1,1640001001,1640001001,200,'lnod_xyEcxHjBUH0r','lntx_QIQ6rFo2ekRF23NEHHfDU6fH','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','lnbcrt50u1psuq6sqpp57nrsq338sk496w8yjm2mrz0xl9nk05p78gfg696a3xu0f4feudsssp5xmy9hnnd6qhd5m5ehc4fr55mfq8sm6gcz03qe03hghacpyw49ptsdpy23jkzgrpdejzqfmrv94k2feqtsszymn0wu3qxqxwrypyq9qrssq2647r6w96g99w9wjjrlrg8dv7fnaspsvp0g3y9kehznpauc07908hc8sw5a7rhacmk68wkjzfg6hlm8u4s89dqg2qlhlpl637s2000gp59d598','f4c700462785aa5d38e496d5b189e6f96767d03e3a128d175d89b8f4d539e361','Tea and \'cake\' \\ \"now\"',NULL,NULL,5000,0,432000,2113040000,'af5c780aa4a30024cfda692446d101658d3b6c28946d806bdfeefe6fc38c7466',1,1640005000,NULL,NULL,NULL,'{\"wallet_id\":\"wal_2nXiSIyMfj0PE3\"}'),
(2,1640001002,1640001002,200,'lnod_xyEcxHjBUH0r','lntx_54o6mMbYhV0A4vbVGUGYMf3g','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','lnbcrt700u1psuq6sqpp53ptxgl3w2f9s9atymk25s88ga4f3jn6q9l5d8cz23mm64st5usmssp5ntef8dutdjg4hjge5gec5l6yqmyppcl0zzrkm6nsg6psq38894rsdqugaexlsulv5syyetnw3jkcmr4densxqxwrypyq9qrssqxyzeqw8fj59zkpv4j9s80ydemswvz2ggw5vyfvn8h587k04xy8zh35vevhkl45yfar3ljrgsev9xyk0dd3u8l9rtczpng4c8ywl94fcq8pe7e2','8856647e2e524b02f564dd95481ce8ed53194f402fe8d3e04a8ef7aac174e437','Große Bestellung',NULL,NULL,70000,0,432000,2113040000,'2d55c58418be496e8dfacea930bb56e5e55d977b552ea013e9545284f47410e9',1,1640005000,NULL,NULL,NULL,'{\"wallet_id\":\"wal_2nXiSIyMfj0PE3\"}'),
(3,1640001003,1640001003,200,'lnod_xyEcxHjBUH0r','lntx_sfFAfp62ZsKDoWfl5MQU7REF','034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc','lnbcrt15u1psuq6sqpp50uf6kdw9rptjkkqynz2x7ufcge6qtw3prtdgzqnu0ctpvanc0ftqsp5w8m4ee856euh36nptcecssltxvly8uzpemsexletuv7e6j5knutsdqd2d6hqurvd9jhyxqxwrypyq9qrssqm0wrje57npr3gfqwft8kave0srt0jhj3tucscpnka68e6p2h6henl60c75jdn5584n67khmrwfd9q9v6c9sgfst3yzvu84xhfxsdwzcqxc5wmq','7f13ab35c518572b580498946f7138467405ba211ada81027c7e161676787a56','Supplier',NULL,NULL,1500,2001,432000,2113040000,'32efe84d7e55d67c29f59475ceb35fe61ebe413362c17fe230a2d75ae8c56b63',1,1640006000,NULL,NULL,NULL,'{\"wallet_id\":\"wal_2nXiSIyMfj0PE3\"}'),
(4,1640001004,1640001004,201,'lnod_xyEcxHjBUH0r','lntx_YhjTXBybfQUlNtzuKo7xdKO5','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','','56a62975e81ab3a0df134a782b52cd387788a2a857dd671533f8e36717d935f8','keysend',NULL,NULL,333,0,432000,2113040000,'0a9759ad9ac2df1a0cee96b2955b8df313fcd42f82e9738a23351dd6ea5c5ccf',1,1640005000,1,NULL,'{\"696969\":\"d2Fs\"}','{\"wallet_id\":\"walx_e83f10dcd2c68747c3f3ba14\"}'),
(5,1640001005,1640001005,201,'lnod_xyEcxHjBUH0r','lntx_YC8vtlS4a8MDmIZ9eknTyr0y','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','lnbcrt1u1psuq6sqpp5utv7l90lu403zneheee2m4nxhsr26jlyjfrdxpmm6ga0hcxjn8tqsp5vxj0caml0syt4qepuer9nvv9ktegaeh2zsq5yay5psjfnn9uxwnqdqyd9hqxqxwrypyq9qrssq250v2e5qtfx29uqtpj3n9e7c5uf7yaylxk88064nynhzgs9m2ktrp0znazcxkvn77d4s956lfxfpajhl962qed2avggq34ry3wel9sspd9qmhn','e2d9ef95ffe55f114f37ce72add666bc06ad4be49246d3077bd23afbe0d299d6','in',NULL,NULL,100,0,432000,2113040000,'74685bdd49397e5296a7df2b2f506abc2e064e2596f646613e81cd34d2756ede',1,1640005000,NULL,NULL,NULL,'{\"wallet_id\":\"wal_Fs5BNlZjcoouoK\"}'),
(6,1640001006,1640001006,201,'lnod_xyEcxHjBUH0r','lntx_vvB1qENDCUx6KExmsysfdiGJ','034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc','lnbcrt980n1psuq6sqpp5m3ezqhdtnd38wzt7m09r3l0ykw0gm5sjk24emwxnzyuxc20hwtcqsp5en8k259t6plxy20xz2pm9vvddxdgydryvhzvun54dvcqvxmcwzxqdq0v9kxcgr0vcsxjaqxqxwrypyq9qrssqhu38azu2ta9nn79z838vy6ahys86sla4xcje59uy24pw6xz06njkqfjdq8qx5pyuvvrj22zch8n7e09wpkt4ktfw0z2mjctd8rradeqqt9c7sf','dc72205dab9b6277097edbca38fde4b39e8dd212b2ab9db8d311386c29f772f0','all of it',NULL,NULL,98,5500,432000,2113040000,'168314665b49da2d969774f374f1d544e3b98b2989622f6cdfc80b7ade3fe91d',1,1640006000,NULL,NULL,NULL,'{\"wallet_id\":\"wal_Fs5BNlZjcoouoK\"}'),
(7,1640001007,1640001007,202,'lnod_xyEcxHjBUH0r','lntx_bR6dSqnxcBYpGzCf5vZUQ1a4','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','lnbcrt6400n1psuq6sqpp5ucs0th4d8ttevdwnld729mjz783lda3cxtdn6g782f9wujwd03tqsp5djgt2d2dt0h6d3zvzw54smgghvzgvkdacghkpsctqnfjyuffntuqdqjd3jkvapqvfjks6twvsxqxwrypyq9qrssqkl6urf5sgjryq27e4u4n2m93ygxyk2pegzakpu9fzj9j74duf49zhlagg0pmxvsj4nqygxvyzvjtt69xfxprdg89u9gfsd7s2z8lvvspkqlg3q','e620f5dead3ad79635d3fb7ca2ee42f1e3f6f63832db3d23c7524aee49cd7c56','left behind',NULL,NULL,640,0,432000,2113040000,'bcb6ee0de52cb2a4d7046923206325f21b0547555b26e1919d0303d277b47c69',1,1640005000,NULL,NULL,NULL,'{\"wallet_id\":\"wal_WY0U4ivnMYSBAY\"}'),
(8,1640001008,1640001008,200,'lnod_xyEcxHjBUH0r','lntx_2G3yIyne7l9tvooWAdv42bHo','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','lnbcrt22220n1psuq6sqpp53fl995yz2r2al4ee3ytd7kjzx6edrs0crzr58a00mhx7ppqejqmqsp5wycs29tsfa2jft67xf53qxxq5mg0sat3u267a5g7vda5et74uj5qdq8dacx2msxqxwrypyq9qrssqxxtl7hfp7r3xajqqgr5l532gntjl39uwvtuvc5typqm3tc8cnxfz3zksg5ad9aa5hkytmfhrt5mtuvfqmlw689z3x054z37556m9x0cqnm8lwg','8a7e52d08250d5dfd7398916df5a4236b2d1c1f8188743f5efddcde084199036','open',NULL,NULL,2222,0,432000,2113040000,NULL,0,NULL,NULL,NULL,NULL,'{\"wallet_id\":\"wal_2nXiSIyMfj0PE3\"}'),
(9,1640001009,1640001009,200,'lnod_xyEcxHjBUH0r','lntx_qtwD5dhfXNSlEvQmJj42IJGv','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','lnbcrt1psuq6sqpp5ae2t6u5fy5epht9g8uj7xmungzmqle46zywap6ycnssp0tvz7m0ssp5n85ewz8q6h4ly3rlj6kpzz4fk3tjjjd4afml8sm3gxl3tunq0emsdpydacx2m3qwa5hg6r0w46zqctwypsk6mm4de6qxqxwrypyq9qrssqmjcrdssn8gh8zffpnw26rzpmwt5zq735c59gmessgtl4p4azatzh287m6nq55xtp9ymezwcldqcvdxqhyfwqh2hjjm9hmty2kxywftcqsk84xq','ee54bd728925321baca83f25e36f9340b60fe6ba111dd0e8989c2017ad82f6df','open without an amount',NULL,NULL,0,0,432000,2113040000,NULL,0,NULL,NULL,NULL,NULL,'{\"wallet_id\":\"wal_2nXiSIyMfj0PE3\"}'),
(10,1640001010,1640001010,201,'lnod_xyEcxHjBUH0r','lntx_qAMEBzBlPxl1exN87Vt5NaxH','02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1','lnbcrt500n1psuq6sqpp5mx6hukljzhs0sfa39tes62vjn4cm6d7qzcwv9k38xxxxmkshk9qqsp5x83h26crvqfkxavycc5xvfzry0rp8snjhdf30nnfwkgvvd385qhsdqvv4u8q6tjv4jqxqyd9uq9qrssq5v7xetvjfk5qwcky83gaps96sgs8wpuuhp27x659727k4vj0wc5p0grmcljggk2xcg4vf3gkh9xar799pwncpkamsrze2d63xhfrlfspkyc392','d9b57e5bf215e0f827b12af30d29929d71bd37c0161cc2da27318c6dda17b140','expired',NULL,NULL,50,0,432000,1640432000,NULL,0,NULL,NULL,NULL,NULL,'{\"wallet_id\":\"walx_e83f10dcd2c68747c3f3ba14\"}');
/*!40000 ALTER TABLE `ln_tx` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `user_access_key`
--

DROP TABLE IF EXISTS `user_access_key`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user_access_key` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `created_at` int(11) NOT NULL,
  `updated_at` int(11) NOT NULL,
  `user_id` int(11) NOT NULL,
  `wallet_id` int(11) DEFAULT NULL,
  `access_key` varchar(255) NOT NULL DEFAULT '',
  `status_type_id` int(11) DEFAULT NULL,
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  PRIMARY KEY (`id`),
  KEY `key` (`access_key`),
  KEY `user_id` (`user_id`),
  KEY `wallet_id` (`wallet_id`),
  KEY `user_access_key_ibfk_3` (`status_type_id`),
  CONSTRAINT `user_access_key_ibfk_3` FOREIGN KEY (`status_type_id`) REFERENCES `status_type` (`id`),
  CONSTRAINT `wallet_user_key_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_user_key_ibfk_2` FOREIGN KEY (`wallet_id`) REFERENCES `wallet` (`id`) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=1057 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `user_access_key`
--

LOCK TABLES `user_access_key` WRITE;
/*!40000 ALTER TABLE `user_access_key` DISABLE KEYS */;
INSERT INTO `user_access_key` VALUES
(1000,1640000000,1640000000,200,NULL,'pak_8KohvVAlQqWEfuFR8NLHGWRhsO1AXIiE',30,NULL),
(1001,1640000000,1640000000,200,NULL,'sak_ghV05kzHwOvniho6zWz1kQEEb4yuP6ki',30,NULL),
(1002,1640000000,1640000000,201,NULL,'pak_9K6Wsz3qkxyYPT6hQuwFvmJNG2HclyM7',30,NULL),
(1003,1640000000,1640000000,201,NULL,'sak_bqsxhtq4pmp3gEbPwMLjp3oI4lZbboY3',30,NULL),
(1004,1640000000,1640000000,202,NULL,'pak_50rw2O3x4YhEHumBPVp6UfgcK45USlfw',30,NULL),
(1005,1640000000,1640000000,202,NULL,'sak_FddduXtvVC5B25DRlhgj7MK1bvsN4ISH',30,NULL),
(1006,1640000000,1640000000,200,2500,'waka_W8jy2dAiOxxIO6cl6F0D2a8a',30,NULL),
(1007,1640000000,1640000000,200,2500,'waki_QgFFesAYtrhFkufmV19bOGWS',30,NULL),
(1008,1640000000,1640000000,200,2500,'wakr_ACjHEJ0cwYTTyd9q8V5PqDy9',30,NULL),
(1009,1640000000,1640000000,200,2500,'waklw_RpKYepztqz0Qlo8wFCWvuxHX',30,NULL),
(1010,1640000000,1640000000,200,2500,'waklp_rR5HKPC1MevdmOlOuPf7c5qQ',30,NULL),
(1011,1640000000,1640000000,200,2500,'wakewa_wq5GbTc7',30,NULL),
(1012,1640000000,1640000000,200,2500,'wakewv_J1fDPxao',30,NULL),
(1013,1640000000,1640000000,200,2501,'waka_QA9IG0GHAWvN1zM0DosZI8Ho',30,NULL),
(1014,1640000000,1640000000,200,2501,'waki_9YkmvfFFREkxs3PHI2vPB1p7',30,NULL),
(1015,1640000000,1640000000,200,2501,'wakr_sMEwpS9lmaDGQkyETntTCcs2',30,NULL),
(1016,1640000000,1640000000,200,2501,'waklw_y8dw9R2nbRDK5fdbAAIyKGvf',30,NULL),
(1017,1640000000,1640000000,200,2501,'waklp_srxNq1ocq9f2MCNSPaqysE52',30,NULL),
(1018,1640000000,1640000000,200,2501,'wakewa_WAv9HaPY',30,NULL),
(1019,1640000000,1640000000,200,2501,'wakewv_1cDsQJQK',30,NULL),
(1020,1640000000,1640000000,201,2502,'waka_aY596URwW1tt5knERGuSp8xr',30,NULL),
(1021,1640000000,1640000000,201,2502,'waki_hxRRZCXrdgKRRZvDBfNIa4S6',30,NULL),
(1022,1640000000,1640000000,201,2502,'wakr_xQQI0GBs8y1YKOfEXymches9',30,NULL),
(1023,1640000000,1640000000,201,2502,'waklw_fShNaSIwqFu6QtDcxvchZue1',30,NULL),
(1024,1640000000,1640000000,201,2502,'waklp_JI4x20huX4Y5XdDlj3Xqo4sS',30,NULL),
(1025,1640000000,1640000000,201,2502,'wakewa_6Q4eDV6n',30,NULL),
(1026,1640000000,1640000000,201,2502,'wakewv_rTJBVLcV',30,NULL),
(1027,1640000000,1640000000,201,2503,'waka_0K7y1R7jNoy4F6mqcClmydeB',30,NULL),
(1028,1640000000,1640000000,201,2503,'waki_9wBaZQeTLFqnoeB8cj8IaFVg',30,NULL),
(1029,1640000000,1640000000,201,2503,'wakr_DliJ3S6njJKEr2ow0EKbjQ6d',30,NULL),
(1030,1640000000,1640000000,201,2503,'waklw_vRTOMeZGCRhwcJEslJCVSWKk',30,NULL),
(1031,1640000000,1640000000,201,2503,'waklp_QJxCPd4h67N8bBr1xJPaAW0K',30,NULL),
(1032,1640000000,1640000000,201,2503,'wakewa_wndo5NP6',30,NULL),
(1033,1640000000,1640000000,201,2503,'wakewv_aI11wkMW',30,NULL),
(1034,1640000000,1640000000,201,2504,'waka_LCTu2nw4lOQ55Na2e4MWFSjN',30,NULL),
(1035,1640000000,1640000000,201,2504,'waki_ha19mdJsDoiU6NRU33r7t3OH',30,NULL),
(1036,1640000000,1640000000,201,2504,'wakr_TbnJ0WPcf3re0qC4VG8y1IN3',30,NULL),
(1037,1640000000,1640000000,201,2504,'waklw_gv6UM46r0VvttvGMIhmK1Guq',30,NULL),
(1038,1640000000,1640000000,201,2504,'waklp_rWjOBYuvKaH5k3KzRNk18zDm',30,NULL),
(1039,1640000000,1640000000,201,2504,'wakewa_2a4aEt3Q',30,NULL),
(1040,1640000000,1640000000,201,2504,'wakewv_b7s4onYQ',30,NULL),
(1041,1640000000,1640000000,201,2505,'waka_RoXU42uJTs3GoFyQTu4fCD3f',30,NULL),
(1042,1640000000,1640000000,201,2505,'waki_Ry3BvjufbOG3g5ZMoetXwWRo',30,NULL),
(1043,1640000000,1640000000,201,2505,'wakr_iOt08uBJzKR0cCfFZT6HzUnL',30,NULL),
(1044,1640000000,1640000000,201,2505,'waklw_fO4wKDowYD3XWqIw2a5biw55',30,NULL),
(1045,1640000000,1640000000,201,2505,'waklp_cScQaaDlESV6kUoIiEPJW4ut',30,NULL),
(1046,1640000000,1640000000,201,2505,'wakewa_j2763blj',30,NULL),
(1047,1640000000,1640000000,201,2505,'wakewv_6rIwqHsY',30,NULL),
(1048,1640000000,1640000000,202,2506,'waka_cDMjg4pxtVRjh5gc587BiYYJ',30,NULL),
(1049,1640000000,1640000000,202,2506,'waki_8pHXvEqFF3Oe6qnNFAh6ZHx7',30,NULL),
(1050,1640000000,1640000000,202,2506,'wakr_KGSdWFeS6QWTeBWeJDLGaKa6',30,NULL),
(1051,1640000000,1640000000,202,2506,'waklw_xeIVc6LGGZksDolIoQgS2yeE',30,NULL),
(1052,1640000000,1640000000,202,2506,'waklp_rjzpd6G3TK0zptt2R5gvOGEo',30,NULL),
(1053,1640000000,1640000000,202,2506,'wakewa_oYTQCOeT',30,NULL),
(1054,1640000000,1640000000,202,2506,'wakewv_CaIhYyUs',30,NULL),
(1055,1640000000,1640000000,200,2500,'waka_FbcsHwXbsWs3QN3a4IOz4Oc5',35,NULL),
(1056,1640000000,1640000000,200,2500,'wakr_shortQhh3',30,NULL);
/*!40000 ALTER TABLE `user_access_key` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `auth_assignment`
--

DROP TABLE IF EXISTS `auth_assignment`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_assignment` (
  `item_name` varchar(64) NOT NULL,
  `user_id` varchar(64) NOT NULL,
  `created_at` int(11) DEFAULT NULL,
  PRIMARY KEY (`item_name`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `auth_assignment`
--

LOCK TABLES `auth_assignment` WRITE;
/*!40000 ALTER TABLE `auth_assignment` DISABLE KEYS */;
INSERT INTO `auth_assignment` VALUES
('Key Suspended','waka_FbcsHwXbsWs3QN3a4IOz4Oc5',1640000000),
('Public API Key','pak_50rw2O3x4YhEHumBPVp6UfgcK45USlfw',1640000000),
('Public API Key','pak_8KohvVAlQqWEfuFR8NLHGWRhsO1AXIiE',1640000000),
('Public API Key','pak_9K6Wsz3qkxyYPT6hQuwFvmJNG2HclyM7',1640000000),
('Secret API Key','sak_bqsxhtq4pmp3gEbPwMLjp3oI4lZbboY3',1640000000),
('Secret API Key','sak_FddduXtvVC5B25DRlhgj7MK1bvsN4ISH',1640000000),
('Secret API Key','sak_ghV05kzHwOvniho6zWz1kQEEb4yuP6ki',1640000000),
('Wallet Admin','waka_0K7y1R7jNoy4F6mqcClmydeB',1640000000),
('Wallet Admin','waka_aY596URwW1tt5knERGuSp8xr',1640000000),
('Wallet Admin','waka_cDMjg4pxtVRjh5gc587BiYYJ',1640000000),
('Wallet Admin','waka_FbcsHwXbsWs3QN3a4IOz4Oc5',1640000000),
('Wallet Admin','waka_LCTu2nw4lOQ55Na2e4MWFSjN',1640000000),
('Wallet Admin','waka_QA9IG0GHAWvN1zM0DosZI8Ho',1640000000),
('Wallet Admin','waka_RoXU42uJTs3GoFyQTu4fCD3f',1640000000),
('Wallet Admin','waka_W8jy2dAiOxxIO6cl6F0D2a8a',1640000000),
('Wallet External Website Admin','wakewa_2a4aEt3Q',1640000000),
('Wallet External Website Admin','wakewa_6Q4eDV6n',1640000000),
('Wallet External Website Admin','wakewa_j2763blj',1640000000),
('Wallet External Website Admin','wakewa_oYTQCOeT',1640000000),
('Wallet External Website Admin','wakewa_WAv9HaPY',1640000000),
('Wallet External Website Admin','wakewa_wndo5NP6',1640000000),
('Wallet External Website Admin','wakewa_wq5GbTc7',1640000000),
('Wallet External Website View','wakewv_1cDsQJQK',1640000000),
('Wallet External Website View','wakewv_6rIwqHsY',1640000000),
('Wallet External Website View','wakewv_aI11wkMW',1640000000),
('Wallet External Website View','wakewv_b7s4onYQ',1640000000),
('Wallet External Website View','wakewv_CaIhYyUs',1640000000),
('Wallet External Website View','wakewv_J1fDPxao',1640000000),
('Wallet External Website View','wakewv_rTJBVLcV',1640000000),
('Wallet Invoice','waki_8pHXvEqFF3Oe6qnNFAh6ZHx7',1640000000),
('Wallet Invoice','waki_9wBaZQeTLFqnoeB8cj8IaFVg',1640000000),
('Wallet Invoice','waki_9YkmvfFFREkxs3PHI2vPB1p7',1640000000),
('Wallet Invoice','waki_ha19mdJsDoiU6NRU33r7t3OH',1640000000),
('Wallet Invoice','waki_hxRRZCXrdgKRRZvDBfNIa4S6',1640000000),
('Wallet Invoice','waki_QgFFesAYtrhFkufmV19bOGWS',1640000000),
('Wallet Invoice','waki_Ry3BvjufbOG3g5ZMoetXwWRo',1640000000),
('Wallet LNURL Pay','waklp_cScQaaDlESV6kUoIiEPJW4ut',1640000000),
('Wallet LNURL Pay','waklp_JI4x20huX4Y5XdDlj3Xqo4sS',1640000000),
('Wallet LNURL Pay','waklp_QJxCPd4h67N8bBr1xJPaAW0K',1640000000),
('Wallet LNURL Pay','waklp_rjzpd6G3TK0zptt2R5gvOGEo',1640000000),
('Wallet LNURL Pay','waklp_rR5HKPC1MevdmOlOuPf7c5qQ',1640000000),
('Wallet LNURL Pay','waklp_rWjOBYuvKaH5k3KzRNk18zDm',1640000000),
('Wallet LNURL Pay','waklp_srxNq1ocq9f2MCNSPaqysE52',1640000000),
('Wallet LNURL Withdraw','waklw_fO4wKDowYD3XWqIw2a5biw55',1640000000),
('Wallet LNURL Withdraw','waklw_fShNaSIwqFu6QtDcxvchZue1',1640000000),
('Wallet LNURL Withdraw','waklw_gv6UM46r0VvttvGMIhmK1Guq',1640000000),
('Wallet LNURL Withdraw','waklw_RpKYepztqz0Qlo8wFCWvuxHX',1640000000),
('Wallet LNURL Withdraw','waklw_vRTOMeZGCRhwcJEslJCVSWKk',1640000000),
('Wallet LNURL Withdraw','waklw_xeIVc6LGGZksDolIoQgS2yeE',1640000000),
('Wallet LNURL Withdraw','waklw_y8dw9R2nbRDK5fdbAAIyKGvf',1640000000),
('Wallet Read','wakr_ACjHEJ0cwYTTyd9q8V5PqDy9',1640000000),
('Wallet Read','wakr_DliJ3S6njJKEr2ow0EKbjQ6d',1640000000),
('Wallet Read','wakr_iOt08uBJzKR0cCfFZT6HzUnL',1640000000),
('Wallet Read','wakr_KGSdWFeS6QWTeBWeJDLGaKa6',1640000000),
('Wallet Read','wakr_shortQhh3',1640000000),
('Wallet Read','wakr_sMEwpS9lmaDGQkyETntTCcs2',1640000000),
('Wallet Read','wakr_TbnJ0WPcf3re0qC4VG8y1IN3',1640000000),
('Wallet Read','wakr_xQQI0GBs8y1YKOfEXymches9',1640000000);
/*!40000 ALTER TABLE `auth_assignment` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `wallet_lnurlpay`
--

DROP TABLE IF EXISTS `wallet_lnurlpay`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `wallet_lnurlpay` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `created_at` int(11) NOT NULL,
  `updated_at` int(11) NOT NULL,
  `user_id` int(11) NOT NULL,
  `wallet_id` int(11) NOT NULL,
  `user_label` varchar(255) DEFAULT NULL,
  `status_type_id` int(11) NOT NULL,
  `external_hash` varchar(45) NOT NULL,
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  `lnurl_encoded` text DEFAULT NULL,
  `lnurl_decoded` text DEFAULT NULL,
  `lnurlp_minSendable_msat` int(11) DEFAULT NULL,
  `lnurlp_maxSendable_msat` int(11) DEFAULT NULL,
  `lnurlp_short_desc` text DEFAULT NULL,
  `custy_domain_id` int(11) DEFAULT NULL,
  `lnurlp_successAction` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`lnurlp_successAction`)),
  `lnurlp_identifier` varchar(255) DEFAULT NULL,
  `lnurlp_commentAllowed` int(11) DEFAULT NULL,
  `lnurlp_success_message` text DEFAULT NULL,
  `lnurlp_success_url` text DEFAULT NULL,
  `lnurlp_image_base64` text DEFAULT NULL,
  `lnurlp_metadata` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `user_id` (`user_id`),
  KEY `wallet_id` (`wallet_id`),
  KEY `status_type_id` (`status_type_id`),
  KEY `wallet_lnurlpay_ibfk_5` (`custy_domain_id`),
  CONSTRAINT `wallet_lnurlpay_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_lnurlpay_ibfk_2` FOREIGN KEY (`wallet_id`) REFERENCES `wallet` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_lnurlpay_ibfk_3` FOREIGN KEY (`status_type_id`) REFERENCES `status_type` (`id`),
  CONSTRAINT `wallet_lnurlpay_ibfk_5` FOREIGN KEY (`custy_domain_id`) REFERENCES `custy_domain` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=2603 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `wallet_lnurlpay`
--

LOCK TABLES `wallet_lnurlpay` WRITE;
/*!40000 ALTER TABLE `wallet_lnurlpay` DISABLE KEYS */;
INSERT INTO `wallet_lnurlpay` VALUES
(2500,1640002500,1640002500,200,2500,'LNURL-pay Till',450,'lnurlp_oF6RxY4YKSDz1Ioeno','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_rR5HKPC1MevdmOlOuPf7c5qQ/lnurlp/lnurlp_oF6RxY4YKSDz1Ioeno',1000,100000000,'Till',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Till\"]]'),
(2501,1640002501,1640002501,200,2501,'LNURL-pay Fees',450,'lnurlp_7lPRAPlMtag1CoPfvs','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_srxNq1ocq9f2MCNSPaqysE52/lnurlp/lnurlp_7lPRAPlMtag1CoPfvs',1000,100000000,'Fees',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Fees\"]]'),
(2502,1640002502,1640002502,201,2502,'LNURL-pay Käufer',450,'lnurlp_PtNEvPrz97rU89IHur','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_JI4x20huX4Y5XdDlj3Xqo4sS/lnurlp/lnurlp_PtNEvPrz97rU89IHur',1000,100000000,'Käufer',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"K\\u00e4ufer\"]]'),
(2503,1640002503,1640002503,201,2503,'LNURL-pay Inactive',450,'lnurlp_HS6AzqRGz7YCAQ7wyZ','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_QJxCPd4h67N8bBr1xJPaAW0K/lnurlp/lnurlp_HS6AzqRGz7YCAQ7wyZ',1000,100000000,'Inactive',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Inactive\"]]'),
(2504,1640002504,1640002504,201,2504,'LNURL-pay Negative',450,'lnurlp_7s7MiHEqoHzxCBCzWb','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_rWjOBYuvKaH5k3KzRNk18zDm/lnurlp/lnurlp_7s7MiHEqoHzxCBCzWb',1000,100000000,'Negative',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Negative\"]]'),
(2505,1640002505,1640002505,201,2505,'LNURL-pay Empty',450,'lnurlp_SnBSv5VKKK9z531sOp','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_cScQaaDlESV6kUoIiEPJW4ut/lnurlp/lnurlp_SnBSv5VKKK9z531sOp',1000,100000000,'Empty',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Empty\"]]'),
(2506,1640002506,1640002506,202,2506,'LNURL-pay Of a closed account',450,'lnurlp_EJ6SbiQq7ZSMinGqVw','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_rjzpd6G3TK0zptt2R5gvOGEo/lnurlp/lnurlp_EJ6SbiQq7ZSMinGqVw',1000,100000000,'Of a closed account',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Of a closed account\"]]'),
(2600,1640002600,1640002600,200,2500,'Donations',450,'lnurlp_UECmPctb9seMQbGAUr','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_rR5HKPC1MevdmOlOuPf7c5qQ/lnurlp/lnurlp_UECmPctb9seMQbGAUr',1000,100000000,'Donations for \"tea\" – danke',1100,NULL,'Donate',140,'Thank you',NULL,NULL,'[[\"text\\/plain\",\"Donations for \\\"tea\\\" \\u2013 danke\"]]'),
(2601,1640002601,1640002601,200,2501,'Donations too',450,'lnurlp_iaUOeBYP1q4Pq55ZEf','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_srxNq1ocq9f2MCNSPaqysE52/lnurlp/lnurlp_iaUOeBYP1q4Pq55ZEf',1000,100000000,'Second link of the same name',1100,NULL,'donate',NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Second link of the same name\"]]'),
(2602,1640002602,1640002602,200,2500,'Off',455,'lnurlp_76pl1evXr4142ZdnAq','[]',NULL,'https://api.lnpay.co/v1/wallet/waklp_rR5HKPC1MevdmOlOuPf7c5qQ/lnurlp/lnurlp_76pl1evXr4142ZdnAq',1000,100000000,'Inactive link',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[[\"text\\/plain\",\"Inactive link\"]]');
/*!40000 ALTER TABLE `wallet_lnurlpay` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `wallet_lnurlw`
--

DROP TABLE IF EXISTS `wallet_lnurlw`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `wallet_lnurlw` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `created_at` int(11) NOT NULL,
  `updated_at` int(11) NOT NULL,
  `user_id` int(11) NOT NULL,
  `wallet_id` int(11) NOT NULL,
  `status_type_id` int(11) NOT NULL,
  `external_hash` varchar(45) NOT NULL,
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  `lnurl_encoded` text DEFAULT NULL,
  `lnurl_decoded` text DEFAULT NULL,
  `lnurlw_minWithdrawable_msat` bigint(20) DEFAULT NULL,
  `lnurlw_maxWithdrawable_msat` bigint(20) DEFAULT NULL,
  `lnurlw_defaultDescription` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `user_id` (`user_id`),
  KEY `wallet_id` (`wallet_id`),
  KEY `status_type_id` (`status_type_id`),
  CONSTRAINT `wallet_lnurlw_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_lnurlw_ibfk_2` FOREIGN KEY (`wallet_id`) REFERENCES `wallet` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `wallet_lnurlw_ibfk_3` FOREIGN KEY (`status_type_id`) REFERENCES `status_type` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `wallet_lnurlw`
--

LOCK TABLES `wallet_lnurlw` WRITE;
/*!40000 ALTER TABLE `wallet_lnurlw` DISABLE KEYS */;
INSERT INTO `wallet_lnurlw` VALUES
(1,1640000000,1640000000,200,2500,450,'lnurlw_wzYqOUWsTPzEEPcgVe',NULL,NULL,NULL,1000,5000000,'Refund');
/*!40000 ALTER TABLE `wallet_lnurlw` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `custy_domain`
--

DROP TABLE IF EXISTS `custy_domain`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `custy_domain` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `user_id` int(11) DEFAULT NULL,
  `domain_name` varchar(255) NOT NULL DEFAULT '',
  `port` int(11) DEFAULT NULL,
  `display_name` varchar(255) NOT NULL DEFAULT '',
  `use_https` tinyint(1) DEFAULT 0,
  `ssl_info` text DEFAULT NULL,
  `use_hsts` tinyint(1) DEFAULT 0,
  `upgrade_insecure` tinyint(1) DEFAULT 0,
  `status_type_id` int(11) NOT NULL,
  `external_hash` varchar(255) DEFAULT NULL,
  `data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`data`)),
  PRIMARY KEY (`id`),
  KEY `user_id` (`user_id`),
  KEY `custy_domain_ibfk_2` (`status_type_id`),
  CONSTRAINT `custy_domain_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `custy_domain_ibfk_2` FOREIGN KEY (`status_type_id`) REFERENCES `status_type` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=1101 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `custy_domain`
--

LOCK TABLES `custy_domain` WRITE;
/*!40000 ALTER TABLE `custy_domain` DISABLE KEYS */;
INSERT INTO `custy_domain` VALUES
(1100,200,'pay.example.com',NULL,'Shop',1,NULL,0,0,50,'cdom_bAbyvVn1kz',NULL);
/*!40000 ALTER TABLE `custy_domain` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `integration_webhook`
--

DROP TABLE IF EXISTS `integration_webhook`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `integration_webhook` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `external_hash` varchar(255) NOT NULL,
  `user_id` int(11) NOT NULL,
  `action_name_id` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`action_name_id`)),
  `integration_service_id` int(11) NOT NULL,
  `secret` varchar(255) DEFAULT NULL,
  `http_method` varchar(255) DEFAULT NULL,
  `content_type` varchar(255) DEFAULT NULL,
  `endpoint_url` varchar(255) DEFAULT NULL,
  `status_type_id` int(11) DEFAULT NULL,
  `json_data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json_data`)),
  `created_at` int(11) DEFAULT NULL,
  `updated_at` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `user_id` (`user_id`),
  KEY `integration_service_id` (`integration_service_id`),
  KEY `integration_webhook_ibfk_7` (`status_type_id`),
  KEY `external_hash` (`external_hash`),
  CONSTRAINT `integration_webhook_ibfk_4` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`),
  CONSTRAINT `integration_webhook_ibfk_5` FOREIGN KEY (`integration_service_id`) REFERENCES `integration_service` (`id`),
  CONSTRAINT `integration_webhook_ibfk_7` FOREIGN KEY (`status_type_id`) REFERENCES `status_type` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `integration_webhook`
--

LOCK TABLES `integration_webhook` WRITE;
/*!40000 ALTER TABLE `integration_webhook` DISABLE KEYS */;
INSERT INTO `integration_webhook` VALUES
(4,'iwh_FDkGFz4EKItnA4',200,'[\"wallet_receive\",\"wallet_send\"]',500,'a shared secret','POST','application/json','https://shop.example.com/hook',230,NULL,1640000000,1640000000);
/*!40000 ALTER TABLE `integration_webhook` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `migration`
--

DROP TABLE IF EXISTS `migration`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `migration` (
  `version` varchar(180) NOT NULL,
  `apply_time` int(11) DEFAULT NULL,
  PRIMARY KEY (`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `migration`
--

LOCK TABLES `migration` WRITE;
/*!40000 ALTER TABLE `migration` DISABLE KEYS */;
INSERT INTO `migration` VALUES
('m000000_000000_base',1600000000),
('m190709_173552_init',1680000000),
('m190813_234443_api_parent',1680000000),
('m191006_214944_custy_domain',1680000000),
('m191024_120848_action',1680000000),
('m191027_080425_webhook',1680000000),
('m191106_225434_faucet',1680000000),
('m191109_233012_faucet_distro',1680000000),
('m191120_174352_action_types',1680000000),
('m191124_113412_tz',1680000000),
('m191129_223556_action_cleanup',1680000000),
('m191210_233454_wallet',1680000000),
('m191214_120829_minor_updates',1680000000),
('m191215_224105_base_wallet_actions',1680000000),
('m200111_005210_description_hash',1680000000),
('m200112_221805_webhook_mods',1680000000),
('m200120_151707_pw_link_type',1680000000),
('m200126_005039_api_logger',1680000000),
('m200127_105943_keysend',1680000000),
('m200127_221736_key_updates',1680000000),
('m200208_211205_api_log_changes',1680000000),
('m200211_113828_usr_hash',1680000000),
('m200215_174524_webhook_log',1680000000),
('m200219_142429_api_version',1680000000),
('m200220_201526_jsonify',1680000000),
('m200317_165227_key_suspend_role',1680000000),
('m200318_160034_non_custodial',1680000000),
('m200327_191800_baselink_user',1680000000),
('m200328_131216_yii2queue',1680000000),
('m200402_155750_rpc_listener',1680000000),
('m200404_175632_fix_action_id',1680000000),
('m200406_132737_lnd_rpc_action_names',1680000000),
('m200407_174604_node_health_actions',1680000000),
('m200412_143635_base_link_paywall',1680000000),
('m200421_152700_wallet_node',1680000000),
('m200714_112957_2fa',1680000000),
('m200719_162034_lntx_fees',1680000000),
('m210221_130834_fee_wallet',1680000000),
('m210223_184645_fee_action',1680000000),
('m210402_000953_htlcEvent',1680000000),
('m210414_152818_wallet_type',1680000000),
('m210423_153759_lnurl_withdraw_role',1680000000),
('m210707_194325_node_onchain',1680000000),
('m211017_134236_loop',1680000000),
('m211228_154357_amp_lntx_db',1680000000),
('m211229_135314_lnurlp',1680000000),
('m220116_141606_wallet_send_failure',1680000000),
('m220124_143632_lnurlpay_inoutbound',1680000000),
('m220130_004513_wallet_change_node',1680000000),
('m220203_170922_utf8mb4_encoding',1680000000),
('m220208_011157_org',1680000000),
('m220225_185302_lnurlpay_domain',1680000000),
('m220302_141930_cdomain_id',1680000000),
('m220426_174013_wallet_external_admin',1680000000),
('m230109_155754_wtx_rollup',1680000000);
/*!40000 ALTER TABLE `migration` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-28  8:55:47
